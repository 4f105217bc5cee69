// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "graph/lowering.h"
#include "graph/op.h"

namespace coracle::internal {

inline constexpr Port kBinaryInputs[] = {in("x", "X"), in("y", "Y")};
inline constexpr Port kBinaryOutputs[] = {out("out", "Out")};

/// The ports of out = f(x, y) with NumPy broadcasting; base of such operators.
struct BinaryOperator {
  static constexpr std::span<const Port> kInputs = kBinaryInputs;
  static constexpr std::span<const Port> kOutputs = kBinaryOutputs;
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const BinaryOperator&, const BinaryOperator&) = default;
};

/// The type two operands are brought to: the same, else the real one, else the wider one. Throws Error for float8
/// beside another type: neither is computed with.
inline DType promote(DType x, DType y) {
  if (x == y) return x;
  for (const DType type : {x, y}) {
    require(!is_float8(type), ErrorCode::kUnsupported, "element type ", type, " is not supported here");
  }
  if (is_complex(x) || is_complex(y)) return std::max(x, y);
  if (is_float(x) != is_float(y)) return is_float(x) ? x : y;
  if (is_float(x) && size_of(x) == size_of(y)) return DType::kFloat32;
  return std::max(x, y);
}

inline void infer_binary(InferArgs& a) { a.set(0, promote(a.dtype(0), a.dtype(1)), broadcast(a.shape(0), a.shape(1))); }

/// Walks over the elements of `out` in row-major order with the matching positions in operands that broadcast to it.
class BroadcastWalk {
 public:
  BroadcastWalk(const Shape& out, const Shape& x, const Shape& y) : out_(out) {
    strides(x, x_stride_);
    strides(y, y_stride_);
  }
  /// f(out index, x index, y index) for each element.
  template <class F>
  void each(const RunContext& context, const F& f) const {
    const int64_t n = out_.count();
    int64_t at[Shape::kMaxRank] = {};
    int64_t x = 0;
    int64_t y = 0;
    LoopCheck check(context);
    for (int64_t i = 0; i < n; ++i) {
      check.step();
      f(i, x, y);
      for (int d = out_.rank() - 1; d >= 0; --d) {
        x += x_stride_[d];
        y += y_stride_[d];
        if (++at[d] < out_[d]) break;
        x -= x_stride_[d] * out_[d];
        y -= y_stride_[d] * out_[d];
        at[d] = 0;
      }
    }
  }

 private:
  void strides(const Shape& s, int64_t* stride) const {
    int64_t step = 1;
    for (int d = out_.rank() - 1; d >= 0; --d) {
      const int i = d - (out_.rank() - s.rank());
      stride[d] = i < 0 || s[i] == 1 ? 0 : step;
      if (i >= 0) step *= s[i];
    }
  }
  Shape out_;
  int64_t x_stride_[Shape::kMaxRank] = {};
  int64_t y_stride_[Shape::kMaxRank] = {};
};

/// One operand converted to `dtype` (itself where it is that already).
Tensor converted(const RunContext& context, const Tensor& t, DType dtype);

/// out = f(x, y), integers in int64 and cut to the result's type, real ones in double: f(T, T) -> T.
template <class F>
void reference_binary(ReferenceArgs& a, const F& f) {
  Tensor& out = a.out(0);
  const BroadcastWalk walk(out.shape(), a.shape(0), a.shape(1));
  const auto compute = [&](const auto& x, const auto& y) {
    using T = std::decay_t<decltype(x[0])>;
    std::vector<T> result(static_cast<size_t>(out.count()));
    walk.each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
      result[static_cast<size_t>(i)] = f(x[static_cast<size_t>(ix)], y[static_cast<size_t>(iy)]);
    });
    out.assign(a.context(), std::span<const T>(result));
  };
  if (is_float(promote(a.in(0).dtype(), a.in(1).dtype()))) {
    compute(a.doubles(0), a.doubles(1));
  } else {
    compute(a.in(0).integers(a.context()), a.in(1).integers(a.context()));
  }
}

/// ProgramDesc's `axis`: y (or x, whichever has fewer dimensions) is aligned with the other from dimension `axis` on,
/// after its trailing ones are dropped. Gives the operand reshaped so that NumPy's rule applies.
/// Defined in src/ops/common/binary.cc.
PortValues aligned_by_axis(Lowering& l);

/// `lower` of a binary operator T: alignment by axis, then one node.
template <class T>
void lower_binary(Lowering& l) {
  l.bind("Out", l.add(l.read_op(kOpSchema<T>), aligned_by_axis(l)));
}

}  // namespace coracle::internal
