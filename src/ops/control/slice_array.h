// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/operands.h"
#include "ops/control/arrays.h"
#include "ops/movement/slicing.h"

namespace coracle::internal {

/// Elements starts to ends (exclusive) of a tensor array.
struct SliceArray {
  static constexpr const char* kName = "slice_array";
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("input", "Input"), shape_in("starts", ""), shape_in("ends", "")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const SliceArray&, const SliceArray&) = default;
};

inline void infer(const SliceArray&, InferArgs& a) {
  require_array(a, 0);
  require_operand(a, 1, "starts");
  require_operand(a, 2, "ends");
  a.out(0) = array_fact(a.dtype(0), a.shape(0));
}

inline void reference(const SliceArray&, ReferenceArgs& a) {
  const std::vector<Tensor>& elements = a.in(0).elements();
  require(a.in(1).count() == 1 && a.in(2).count() == 1, ErrorCode::kRunFailure,
          "a tensor array is sliced by one start and one end");
  const Slicing part = slice_of(static_cast<int64_t>(elements.size()), a.in(1).integer(0), a.in(2).integer(0));
  a.out(0) = Tensor::array(a.in(0).dtype());
  for (int64_t i = 0; i < part.length; ++i) {
    a.out(0).elements().push_back(elements[static_cast<size_t>(part.start + i)]);
  }
}

inline constexpr const OpSchema* slice_array_op = &kOpSchema<SliceArray>;

}  // namespace coracle::internal
