// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// out = x: x written over `output`, the variable's value until then.
struct AssignOut {
  static constexpr const char* kName = "assign_out";
  static constexpr Port kInputs[] = {in("x", "X"), in("output", "Out")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr bool kAnyType = true;
  friend bool operator==(const AssignOut&, const AssignOut&) = default;
};

inline void infer(const AssignOut&, InferArgs& a) { infer_copy(a); }

inline void reference(const AssignOut&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline constexpr const OpSchema* assign_out_op = &kOpSchema<AssignOut>;

}  // namespace coracle::internal
