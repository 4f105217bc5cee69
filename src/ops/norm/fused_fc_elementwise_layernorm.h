// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/add.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/norm/layer_norm.h"

namespace coracle::internal {

/// layer_norm(activation(x @ w + bias0) + y) of a program that was optimised before it was saved.
struct FusedFcElementwiseLayernorm {
  static constexpr const char* kName = "fused_fc_elementwise_layernorm";
  static constexpr const char* kLegacy[] = {"fused_fc_elementwise_layernorm"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     weight_in("w", "W"),
                                     in("y", "Y"),
                                     optional_weight_in("bias0", "Bias0"),
                                     optional_weight_in("scale", "Scale"),
                                     optional_weight_in("bias1", "Bias1")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("mean", "Mean"),
                                      optional_out("variance", "Variance")};
  static void lower(Lowering& l) {
    MatmulWithFlatten product;
    product.x_num_col_dims = l.attribute<int64_t>("x_num_col_dims", 1);
    ValueId y = l.add(product, {{l.input("X")}, {l.input("W")}});
    if (l.has("Bias0")) y = l.add(Add{}, {{y}, {l.input("Bias0")}});
    y = add_activation(l, y, l.attribute<std::string>("activation_type"), 0.0, 0.0);
    y = l.add(Add{}, {{y}, {l.input("Y")}});
    const LayerNorm norm{.epsilon = l.attribute<double>("epsilon", 1e-5),
                         .begin_norm_axis = l.attribute<int>("begin_norm_axis", 1)};
    PortValues operands{{y}, {}, {}};
    if (l.has("Scale")) operands[1] = {l.input("Scale")};
    if (l.has("Bias1")) operands[2] = {l.input("Bias1")};
    const NodeId node = l.add_node(norm, operands, {1, 1, 1});
    constexpr const char* kSlots[] = {"Out", "Mean", "Variance"};
    for (int i = 0; i < 3; ++i) l.bind(kSlots[i], l.graph().node(node).output(i));
  }
  friend bool operator==(const FusedFcElementwiseLayernorm&, const FusedFcElementwiseLayernorm&) = default;
};

inline constexpr const OpSchema* fused_fc_elementwise_layernorm_op = &kOpSchema<FusedFcElementwiseLayernorm>;

}  // namespace coracle::internal
