// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/fused_elementwise.h"

namespace coracle::internal {

/// activation(x * y) of a program that was optimised before it was saved.
struct FusedElementwiseMul {
  static constexpr const char* kName = "fused_elementwise_mul";
  static constexpr const char* kLegacy[] = {"fused_elementwise_mul"};
  static constexpr std::span<const Port> kInputs = kBinaryInputs;
  static constexpr std::span<const Port> kOutputs = kBinaryOutputs;
  static void lower(Lowering& l) { lower_fused_elementwise<Multiply>(l); }
  friend bool operator==(const FusedElementwiseMul&, const FusedElementwiseMul&) = default;
};

inline constexpr const OpSchema* fused_elementwise_mul_op = &kOpSchema<FusedElementwiseMul>;

}  // namespace coracle::internal
