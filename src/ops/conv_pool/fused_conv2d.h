// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/conv2d.h"

namespace coracle::internal {

/// conv2d of a program that was optimised before it was saved: activation(conv2d(x) + bias + residual).
struct FusedConv2d {
  static constexpr const char* kName = "fused_conv2d";
  static constexpr const char* kLegacy[] = {"fused_conv2d"};
  static constexpr Port kInputs[] = {in("x", "Input"), weight_in("filter", "Filter"), optional_in("bias", "Bias"),
                                     optional_in("residual_data", "ResidualData")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  static void lower(Lowering& l) {
    require(l.attribute<Ints>("split_channels").empty(), ErrorCode::kUnsupported, "split_channels is not supported");
    lower_convolution(l, kOpSchema<Conv2d>);
  }
  friend bool operator==(const FusedConv2d&, const FusedConv2d&) = default;
};

inline constexpr const OpSchema* fused_conv2d_op = &kOpSchema<FusedConv2d>;

}  // namespace coracle::internal
