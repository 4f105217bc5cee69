// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/fused_elementwise.h"

namespace coracle::internal {

/// The same as fused_elemwise_activation, made by another rewrite.
struct FusedElemwiseAddActivation {
  static constexpr const char* kName = "fused_elemwise_add_activation";
  static constexpr const char* kLegacy[] = {"fused_elemwise_add_activation"};
  static constexpr std::span<const Port> kInputs = kBinaryInputs;
  static constexpr std::span<const Port> kOutputs = kCompoundOutputs;
  static void lower(Lowering& l) { lower_compound(l); }
  friend bool operator==(const FusedElemwiseAddActivation&, const FusedElemwiseAddActivation&) = default;
};

inline constexpr const OpSchema* fused_elemwise_add_activation_op = &kOpSchema<FusedElemwiseAddActivation>;

}  // namespace coracle::internal
