// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/fused_elementwise.h"
#include "ops/elementwise/subtract.h"

namespace coracle::internal {

/// activation(x - y) of a program that was optimised before it was saved.
struct FusedElementwiseSub {
  static constexpr const char* kName = "fused_elementwise_sub";
  static constexpr const char* kLegacy[] = {"fused_elementwise_sub"};
  static constexpr std::span<const Port> kInputs = kBinaryInputs;
  static constexpr std::span<const Port> kOutputs = kBinaryOutputs;
  static void lower(Lowering& l) { lower_fused_elementwise<Subtract>(l); }
  friend bool operator==(const FusedElementwiseSub&, const FusedElementwiseSub&) = default;
};

inline constexpr const OpSchema* fused_elementwise_sub_op = &kOpSchema<FusedElementwiseSub>;

}  // namespace coracle::internal
