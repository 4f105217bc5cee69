// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/scale.h"
#include "ops/norm/layer_norm.h"

namespace coracle::internal {

/// layer_norm(x + bias + residual * residual_alpha).
struct FusedBiasResidualLayernorm {
  static constexpr const char* kName = "fused_bias_residual_layernorm";
  static constexpr const char* kLegacy[] = {"fused_bias_residual_layernorm"};
  static constexpr Port kInputs[] = {
      in("x", "x"), optional_weight_in("bias", "bias"), optional_in("residual", "residual"),
      optional_weight_in("norm_weight", "norm_weight"), optional_weight_in("norm_bias", "norm_bias")};
  static constexpr Port kOutputs[] = {out("out", "out"), optional_out("residual_out", "residual_out"),
                                      optional_out("mean", "mean"), optional_out("variance", "variance")};
  static void lower(Lowering& l) {
    require(l.attribute<double>("quant_scale", -1.0) <= 0, ErrorCode::kUnsupported,
            "a quantised result is not supported");
    const auto optional = [&](std::string_view slot) {
      return l.has(slot) ? std::vector<ValueId>{l.input(slot)} : std::vector<ValueId>{};
    };
    ValueId x = l.input("x");
    if (l.has("bias")) x = l.add(Add{}, {{x}, {l.input("bias")}});
    if (l.has("residual")) {
      ValueId residual = l.input("residual");
      const auto alpha = static_cast<float>(l.attribute<double>("residual_alpha", 1.0));
      if (alpha != 1.0F) residual = l.add(Scale{}, {{residual}, {l.constant(Tensor::scalar(alpha))}});
      x = l.add(Add{}, {{x}, {residual}});
    }
    l.bind("residual_out", x);
    if (!l.has("norm_weight") && !l.has("norm_bias")) {
      l.bind("out", x);
      return;
    }
    const LayerNorm norm{.epsilon = l.attribute<double>("epsilon", 1e-5),
                         .begin_norm_axis = l.attribute<int>("begin_norm_axis", 1)};
    const NodeId node = l.add_node(norm, {{x}, optional("norm_weight"), optional("norm_bias")}, {1, 1, 1});
    constexpr const char* kSlots[] = {"out", "mean", "variance"};
    for (int i = 0; i < 3; ++i) l.bind(kSlots[i], l.graph().node(node).output(i));
  }
  friend bool operator==(const FusedBiasResidualLayernorm&, const FusedBiasResidualLayernorm&) = default;
};

inline constexpr const OpSchema* fused_bias_residual_layernorm_op = &kOpSchema<FusedBiasResidualLayernorm>;

}  // namespace coracle::internal
