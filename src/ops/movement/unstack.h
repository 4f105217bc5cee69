// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"

namespace coracle::internal {

/// The slices of x along `axis`, without that dimension.
struct Unstack {
  static constexpr const char* kName = "unstack";
  static constexpr const char* kLegacy[] = {"unstack"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {list_out("out", "Y")};
  int axis = 0;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const Unstack&, const Unstack&) = default;
};

inline void infer(const Unstack& op, InferArgs& a) { infer_slices(a, op.axis); }

inline void reference(const Unstack& op, ReferenceArgs& a) { reference_slices(a, op.axis); }

inline constexpr const OpSchema* unstack_op = &kOpSchema<Unstack>;

}  // namespace coracle::internal
