// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/operands.h"
#include "ops/control/arrays.h"

namespace coracle::internal {

/// The element `starts` of a tensor array.
struct SliceArrayDense {
  static constexpr const char* kName = "slice_array_dense";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("input", "Input"), shape_in("starts", "")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const SliceArrayDense&, const SliceArrayDense&) = default;
};

inline void infer(const SliceArrayDense&, InferArgs& a) {
  require_array(a, 0);
  require_operand(a, 1, "starts");
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const SliceArrayDense&, ReferenceArgs& a) {
  const std::vector<Tensor>& elements = a.in(0).elements();
  const size_t i = array_position(a, 1, "starts", elements.size());
  copy_tensor(a.context(), written(elements[i], i), a.out(0));
}

inline constexpr const OpSchema* slice_array_dense_op = &kOpSchema<SliceArrayDense>;

}  // namespace coracle::internal
