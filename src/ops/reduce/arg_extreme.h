// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "base/long_loop.h"
#include "graph/op.h"

namespace coracle::internal {

/// Attributes and ports of argmax and argmin; a base of their structs.
struct ArgExtreme {
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("axis", "axis")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  bool keepdims = false;
  bool flatten = false;
  std::optional<DType> dtype;
  void attributes(AttributeVisitor& visit) {
    visit("keepdims", keepdims);
    visit("flatten", flatten);
    visit("dtype", dtype);
  }
  friend bool operator==(const ArgExtreme&, const ArgExtreme&) = default;
};

inline void infer_arg_extreme(const ArgExtreme& op, InferArgs& a) {
  const DType dtype = op.dtype.value_or(DType::kInt64);
  require(dtype == DType::kInt64 || dtype == DType::kInt32, "dtype is ", dtype, ", expected int32 or int64");
  const Shape& x = a.shape(0);
  Shape y = Shape::unknown_rank();
  if (op.flatten) {
    require(!x.known() || x.count() != 0, "x ", x, " has no element");
    y = op.keepdims && x.rank_known() ? Shape::filled(x.rank(), 1) : (op.keepdims ? y : Shape{});
  } else if (x.rank_known()) {
    const std::optional<double> axis = a.has(1) ? a.number(1) : -1.0;
    if (axis || x.rank() == 0) {
      y = x;
      if (x.rank() > 0) {
        const int d = normalize_axis(position(*axis), x.rank());
        require(y[d] != 0, "x ", x, " has no element along axis ", d);
        y[d] = 1;
        if (!op.keepdims) y.erase(d);
      } else if (op.keepdims) {
        y = Shape{1};  // Paddle keeps one dimension even of a scalar
      }
    } else {
      // The only axis there can be; without its check here, the axis would never be looked at: the result is known.
      require(x.rank() != 1 || x[0] != 0, "x ", x, " has no element along axis 0");
      y = Shape::filled(x.rank() - (op.keepdims ? 0 : 1), Shape::kUnknown);
    }
  }
  a.set(0, dtype, y);
}

/// The first position along the axis whose element is `better` than all others.
template <class Better>
void reference_arg_extreme(const ArgExtreme& op, ReferenceArgs& a, const Better& better) {
  const Shape& x = a.shape(0);
  int64_t outer = 1;
  int64_t n = x.count();
  int64_t inner = 1;
  if (!op.flatten && x.rank() > 0) {
    const int axis = normalize_axis(a.has(1) ? a.in(1).integer(0) : -1, x.rank());
    outer = x.count(0, axis);
    n = x[axis];
    inner = x.count(axis + 1, x.rank());
  }
  visit_real(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = a.in(0).data<T>();
    LoopCheck check(a.context());
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        int64_t best = 0;
        for (int64_t k = 1; k < n; ++k) {
          check.step();
          if (better(from[(o * n + k) * inner + i], from[(o * n + best) * inner + i])) best = k;
        }
        if (a.out(0).dtype() == DType::kInt32) {
          a.out(0).data<int32_t>()[o * inner + i] = static_cast<int32_t>(best);
        } else {
          a.out(0).data<int64_t>()[o * inner + i] = best;
        }
      }
    }
  });
}

}  // namespace coracle::internal
