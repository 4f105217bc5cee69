// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/conv3d.h"
#include "ops/conv_pool/convolution_lowering.h"

namespace coracle::internal {

/// conv3d of a program that was optimised before it was saved: activation(conv3d(x) + bias + residual).
struct FusedConv3d {
  static constexpr const char* kName = "fused_conv3d";
  static constexpr const char* kLegacy[] = {"fused_conv3d"};
  static constexpr Port kInputs[] = {in("x", "Input"), weight_in("filter", "Filter"), optional_in("bias", "Bias"),
                                     optional_in("residual_data", "ResidualData")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  static void lower(Lowering& l) { lower_convolution(l, kOpSchema<Conv3d>); }
  friend bool operator==(const FusedConv3d&, const FusedConv3d&) = default;
};

inline constexpr const OpSchema* fused_conv3d_op = &kOpSchema<FusedConv3d>;

}  // namespace coracle::internal
