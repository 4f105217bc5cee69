// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/dropout.h"
#include "ops/elementwise/add.h"
#include "ops/norm/layer_norm.h"

namespace coracle::internal {

/// layer_norm(residual + dropout(x + bias)) over the last dimension, when not training.
struct FusedBiasDropoutResidualLayerNorm {
  static constexpr const char* kName = "fused_bias_dropout_residual_layer_norm";
  static constexpr const char* kLegacy[] = {"fused_bias_dropout_residual_layer_norm"};
  static constexpr Port kInputs[] = {in("x", "X"), in("residual", "Residual"), optional_weight_in("bias", "Bias"),
                                     optional_weight_in("ln_scale", "LnScale"),
                                     optional_weight_in("ln_bias", "LnBias")};
  static constexpr Port kOutputs[] = {out("y", "Y"),
                                      optional_out("bias_dropout_residual_out", "BiasDropoutResidualOut"),
                                      optional_out("dropout_mask_out", "DropoutMaskOut"),
                                      optional_out("ln_mean", "LnMean"), optional_out("ln_variance", "LnVariance")};
  static void lower(Lowering& l) {
    const auto optional = [&](std::string_view slot) {
      return l.has(slot) ? std::vector<ValueId>{l.input(slot)} : std::vector<ValueId>{};
    };
    ValueId x = l.input("X");
    if (l.has("Bias")) x = l.add(Add{}, {{x}, {l.input("Bias")}});
    if (l.attribute<std::string>("dropout_implementation", "downgrade_in_infer") != "upscale_in_train") {
      const auto rate = static_cast<float>(l.attribute<double>("dropout_rate", 0.5));
      x = l.add(Dropout{}, {{x}, {}, {l.constant(Tensor::scalar(rate))}});
    }
    x = l.add(Add{}, {{l.input("Residual")}, {x}});
    const Shape& s = l.fact(x).shape;
    require(s.rank_known(), ErrorCode::kUnsupported, "the number of dimensions of x is not known");
    const LayerNorm norm{.epsilon = l.attribute<double>("ln_epsilon", 1e-5), .begin_norm_axis = s.rank() - 1};
    l.bind("BiasDropoutResidualOut", x);
    l.bind("Y", l.add(norm, {{x}, optional("LnScale"), optional("LnBias")}));
  }
  friend bool operator==(const FusedBiasDropoutResidualLayerNorm&, const FusedBiasDropoutResidualLayerNorm&) = default;
};

inline constexpr const OpSchema* fused_bias_dropout_residual_layer_norm_op =
    &kOpSchema<FusedBiasDropoutResidualLayerNorm>;

}  // namespace coracle::internal
