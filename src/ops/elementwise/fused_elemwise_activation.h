// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/fused_elementwise.h"

namespace coracle::internal {

/// unary(binary(x, y)) or binary(x, unary(y)) of a program that was optimised before it was saved.
struct FusedElemwiseActivation {
  static constexpr const char* kName = "fused_elemwise_activation";
  static constexpr const char* kLegacy[] = {"fused_elemwise_activation"};
  static constexpr std::span<const Port> kInputs = kBinaryInputs;
  static constexpr std::span<const Port> kOutputs = kCompoundOutputs;
  static void lower(Lowering& l) { lower_compound(l); }
  friend bool operator==(const FusedElemwiseActivation&, const FusedElemwiseActivation&) = default;
};

inline constexpr const OpSchema* fused_elemwise_activation_op = &kOpSchema<FusedElemwiseActivation>;

}  // namespace coracle::internal
