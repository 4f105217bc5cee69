// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "base/long_loop.h"
#include "graph/lowering.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// Attributes of a reduction; a base of the operators' structs. No axis means all.
struct ReductionAttributes {
  Ints axis;
  bool keepdim = false;
  bool reduce_all = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis, "dim");
    visit("keepdim", keepdim, "keep_dim");
    visit("reduce_all", reduce_all);
  }
  friend bool operator==(const ReductionAttributes&, const ReductionAttributes&) = default;
};

/// Which dimensions of `rank` are reduced, by dimension.
std::vector<bool> reduced_dimensions(const Ints& axis, bool all, int rank);
/// The result's shape; unknown rank where `axis` is not known (null).
Shape reduced_shape(const Shape& x, const Ints* axis, bool all, bool keepdim);

/// Walks over x: f(result index, x index) in row-major order of x.
class ReductionWalk {
 public:
  ReductionWalk(const Shape& x, const std::vector<bool>& reduced);
  template <class F>
  void each(const RunContext& context, const F& f) const {
    const int64_t n = x_.count();
    int64_t at[Shape::kMaxRank] = {};
    int64_t y = 0;
    LoopCheck check(context);
    for (int64_t i = 0; i < n; ++i) {
      check.step();
      f(y, i);
      for (int d = x_.rank() - 1; d >= 0; --d) {
        y += stride_[d];
        if (++at[d] < x_[d]) break;
        y -= stride_[d] * x_[d];
        at[d] = 0;
      }
    }
  }

 private:
  Shape x_;
  int64_t stride_[Shape::kMaxRank] = {};
};

/// The axes of a reduction whose axis is operand 1 in PIR and an attribute in ProgramDesc.
struct OperandReduction {
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("axis", "dim")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  bool keepdim = false;
  bool reduce_all = false;
  void attributes(AttributeVisitor& visit) {
    visit("keepdim", keepdim, "keep_dim");
    visit("reduce_all", reduce_all);
  }
  friend bool operator==(const OperandReduction&, const OperandReduction&) = default;
};

inline Shape infer_operand_reduction(const OperandReduction& op, const InferArgs& a) {
  const std::optional<Ints> axis = a.has(1) ? a.ints(1) : Ints{};
  return reduced_shape(a.shape(0), axis ? &*axis : nullptr, op.reduce_all, op.keepdim);
}

inline std::vector<bool> operand_axes(const OperandReduction& op, const ReferenceArgs& a) {
  return reduced_dimensions(a.has(1) ? a.in(1).integers(a.context()) : Ints{}, op.reduce_all, a.shape(0).rank());
}

/// Folds x in double: init, then step(accumulated, element) for each, then last(accumulated, count).
template <class Step, class Last>
void reference_reduction(const RunContext& context, const Tensor& x, const std::vector<bool>& reduced, Tensor& y,
                         double init, const Step& step, const Last& last) {
  Buffer<double> sums(static_cast<size_t>(y.count()), init, context);
  const Buffer<double> values = doubles_of(context, x);
  ReductionWalk(x.shape(), reduced).each(context, [&](int64_t r, int64_t i) {
    double& s = sums[static_cast<size_t>(r)];
    s = step(s, values[static_cast<size_t>(i)]);
  });
  const double count = sums.empty() ? 0.0 : static_cast<double>(x.count()) / static_cast<double>(sums.size());
  for (double& s : sums) s = last(s, count);
  y.assign(context, sums);
}

/// The same in integers (sums wrap as they do in Paddle).
template <class Step>
void reference_integer_reduction(const RunContext& context, const Tensor& x, const std::vector<bool>& reduced,
                                 Tensor& y, int64_t init, const Step& step) {
  Buffer<int64_t> sums(static_cast<size_t>(y.count()), init, context);
  const Buffer<int64_t> values = integers_of(context, x);
  ReductionWalk(x.shape(), reduced).each(context, [&](int64_t r, int64_t i) {
    int64_t& s = sums[static_cast<size_t>(r)];
    s = step(s, values[static_cast<size_t>(i)]);
  });
  y.assign(context, sums);
}

enum class ComplexReduction : uint8_t { kSum, kMean, kProduct };

/// Of complex numbers, in double; y has a complex type.
inline void reference_complex_reduction(const RunContext& context, const Tensor& given,
                                        const std::vector<bool>& reduced, Tensor& y, ComplexReduction kind) {
  require(is_complex(y.dtype()), ErrorCode::kUnsupported, "a result of type ", y.dtype(), " of elements of type ",
          given.dtype(), " is not supported here");
  const Tensor x = as_complex_type(context, given, y.dtype());
  visit_complex(y.dtype(), [&](auto* p) {
    using C = std::complex<std::remove_pointer_t<decltype(p)>>;
    const bool product = kind == ComplexReduction::kProduct;
    Buffer<std::complex<double>> results(static_cast<size_t>(y.count()), product ? 1.0 : 0.0, context);
    ReductionWalk(x.shape(), reduced).each(context, [&](int64_t r, int64_t i) {
      const std::complex<double> number(x.data<C>()[i]);
      std::complex<double>& result = results[static_cast<size_t>(r)];
      result = product ? result * number : result + number;
    });
    const double count = results.empty() ? 0.0 : static_cast<double>(x.count()) / static_cast<double>(results.size());
    C* to = y.data<C>();
    for (const std::complex<double>& r : results) *to++ = C(kind == ComplexReduction::kMean ? r / count : r);
  });
}

}  // namespace coracle::internal
