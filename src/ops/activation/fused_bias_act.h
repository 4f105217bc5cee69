// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/multiply.h"
#include "ops/movement/split_with_num.h"

namespace coracle::internal {

/// activation(x + bias). swiglu and geglu halve the last dimension: activation(first half) * second half.
struct FusedBiasAct {
  static constexpr const char* kName = "fused_bias_act";
  static constexpr const char* kLegacy[] = {"fused_bias_act"};
  static constexpr Port kInputs[] = {in("x", "x"), optional_weight_in("bias", "bias"),
                                     optional_in("dequant_scales", "dequant_scales"), optional_in("shift", "shift"),
                                     optional_in("smooth", "smooth")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static void lower(Lowering& l) {
    require(!l.has("dequant_scales") && !l.has("shift") && !l.has("smooth") &&
                l.attribute<double>("quant_scale", -1.0) <= 0,
            ErrorCode::kUnsupported, "quantised operands and results are not supported");
    ValueId x = l.input("x");
    if (l.has("bias")) x = l.add(Add{}, {{x}, {l.input("bias")}});
    const auto kind = l.attribute<std::string>("act_method", "gelu");
    const bool gated = kind == "swiglu" || kind == "geglu";
    if (!gated) {
      l.bind("out", add_activation(l, x, kind, 0.0, 0.0));
      return;
    }
    SplitWithNum halves;
    halves.num = 2;
    const NodeId parts = l.add_node(halves, {{x}, {l.constant(Tensor::scalar<int64_t>(-1))}}, {2});
    const ValueId gate =
        add_activation(l, l.graph().node(parts).output(0, 0), kind == "swiglu" ? "silu" : "gelu", 0.0, 0.0);
    l.bind("out", l.add(Multiply{}, {{gate}, {l.graph().node(parts).output(0, 1)}}));
  }
  friend bool operator==(const FusedBiasAct&, const FusedBiasAct&) = default;
};

inline constexpr const OpSchema* fused_bias_act_op = &kOpSchema<FusedBiasAct>;

}  // namespace coracle::internal
