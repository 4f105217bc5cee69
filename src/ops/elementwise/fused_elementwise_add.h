// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/fused_elementwise.h"

namespace coracle::internal {

/// activation(x + y) of a program that was optimised before it was saved.
struct FusedElementwiseAdd {
  static constexpr const char* kName = "fused_elementwise_add";
  static constexpr const char* kLegacy[] = {"fused_elementwise_add"};
  static constexpr std::span<const Port> kInputs = kBinaryInputs;
  static constexpr std::span<const Port> kOutputs = kBinaryOutputs;
  static void lower(Lowering& l) { lower_fused_elementwise<Add>(l); }
  friend bool operator==(const FusedElementwiseAdd&, const FusedElementwiseAdd&) = default;
};

inline constexpr const OpSchema* fused_elementwise_add_op = &kOpSchema<FusedElementwiseAdd>;

}  // namespace coracle::internal
