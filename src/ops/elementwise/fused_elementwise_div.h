// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/divide.h"
#include "ops/elementwise/fused_elementwise.h"

namespace coracle::internal {

/// activation(x / y) of a program that was optimised before it was saved.
struct FusedElementwiseDiv {
  static constexpr const char* kName = "fused_elementwise_div";
  static constexpr const char* kLegacy[] = {"fused_elementwise_div"};
  static constexpr std::span<const Port> kInputs = kBinaryInputs;
  static constexpr std::span<const Port> kOutputs = kBinaryOutputs;
  static void lower(Lowering& l) { lower_fused_elementwise<Divide>(l); }
  friend bool operator==(const FusedElementwiseDiv&, const FusedElementwiseDiv&) = default;
};

inline constexpr const OpSchema* fused_elementwise_div_op = &kOpSchema<FusedElementwiseDiv>;

}  // namespace coracle::internal
