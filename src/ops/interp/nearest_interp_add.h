// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/binary.h"
#include "ops/common/operand_types.h"
#include "ops/interp/nearest_interp.h"

namespace coracle::internal {

/// addend * factor + nearest_interp(x), with NumPy's broadcasting; without a factor the addend is added as it is. Made
/// by rewrites, never found in a file.
struct NearestInterpAdd : InterpolationOperator {
  static constexpr const char* kName = "nearest_interp_add";
  static constexpr InterpolationKind kKind = NearestInterp::kKind;
  static constexpr Port kInputs[] = {kInterpolationInputs[0], kInterpolationInputs[1],   kInterpolationInputs[2],
                                     kInterpolationInputs[3], optional_in("factor", ""), in("addend", "")};
  static constexpr int kFactor = 4;
  static constexpr int kAddend = 5;
  friend bool operator==(const NearestInterpAdd&, const NearestInterpAdd&) = default;
};

inline void infer(const NearestInterpAdd& op, InferArgs& a) {
  require_one_dtype(a, {NearestInterpAdd::kFactor, NearestInterpAdd::kAddend});
  infer_interpolation(op, NearestInterpAdd::kKind, a);
  Shape sum = broadcast(a.out(0).shape, a.shape(NearestInterpAdd::kAddend));
  if (a.has(NearestInterpAdd::kFactor)) sum = broadcast(sum, a.shape(NearestInterpAdd::kFactor));
  a.out(0).shape = sum;
}

inline void reference(const NearestInterpAdd& op, ReferenceArgs& a) {
  const Tensor resized = interpolated(op, NearestInterpAdd::kKind, a);
  const Tensor& addend = a.in(NearestInterpAdd::kAddend);
  const bool scaled = a.has(NearestInterpAdd::kFactor);
  const Tensor factor = scaled ? a.in(NearestInterpAdd::kFactor) : Tensor::scalar(1.0F);
  const Shape product = broadcast(addend.shape(), factor.shape());
  Buffer<double> products(static_cast<size_t>(product.count()), a.context());
  BroadcastWalk(product, addend.shape(), factor.shape()).each(a.context(), [&](int64_t i, int64_t x, int64_t y) {
    products[static_cast<size_t>(i)] = addend.number(x) * factor.number(y);
  });
  Buffer<double> sums(static_cast<size_t>(a.out(0).count()), a.context());
  BroadcastWalk(a.out(0).shape(), product, resized.shape()).each(a.context(), [&](int64_t i, int64_t x, int64_t y) {
    sums[static_cast<size_t>(i)] = products[static_cast<size_t>(x)] + resized.number(y);
  });
  a.out(0).assign(a.context(), sums);
}

inline constexpr const OpSchema* nearest_interp_add_op = &kOpSchema<NearestInterpAdd>;

}  // namespace coracle::internal
