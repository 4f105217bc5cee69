// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"

namespace coracle::internal {

/// The element at position i of a tensor array.
struct ArrayRead {
  static constexpr const char* kName = "array_read";
  static constexpr const char* kLegacy[] = {"read_from_array"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("array", "X"), in("i", "I")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const ArrayRead&, const ArrayRead&) = default;
};

inline void infer(const ArrayRead&, InferArgs& a) {
  require_array(a, 0);
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const ArrayRead&, ReferenceArgs& a) {
  const std::vector<Tensor>& elements = a.in(0).elements();
  const size_t i = array_position(a, 1, "I", elements.size());
  copy_tensor(a.context(), written(elements[i], i), a.out(0));
}

inline constexpr const OpSchema* array_read_op = &kOpSchema<ArrayRead>;

}  // namespace coracle::internal
