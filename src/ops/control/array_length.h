// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"

namespace coracle::internal {

/// The number of elements of a tensor array, int64 [1].
struct ArrayLength {
  static constexpr const char* kName = "array_length";
  static constexpr const char* kLegacy[] = {"lod_array_length"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const ArrayLength&, const ArrayLength&) = default;
};

inline void infer(const ArrayLength&, InferArgs& a) {
  require_array(a, 0);
  a.set(0, DType::kInt64, Shape{1});
}

inline void reference(const ArrayLength&, ReferenceArgs& a) {
  a.out(0).data<int64_t>()[0] = static_cast<int64_t>(a.in(0).elements().size());
}

inline constexpr const OpSchema* array_length_op = &kOpSchema<ArrayLength>;

}  // namespace coracle::internal
