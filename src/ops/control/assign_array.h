// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// A tensor array with the same elements.
struct AssignArray : CopyOperator {
  static constexpr const char* kName = "assign_array";
  static constexpr LodRule kLod = LodRule::kOwn;
  friend bool operator==(const AssignArray&, const AssignArray&) = default;
};

inline void infer(const AssignArray&, InferArgs& a) { infer_copy(a); }

inline void reference(const AssignArray&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline constexpr const OpSchema* assign_array_op = &kOpSchema<AssignArray>;

}  // namespace coracle::internal
