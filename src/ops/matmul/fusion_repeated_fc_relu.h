// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/relu.h"
#include "ops/elementwise/add.h"
#include "ops/matmul/matmul_with_flatten.h"

namespace coracle::internal {

/// Several times relu(x @ w + bias), of a program that was optimised before it was saved.
struct FusionRepeatedFcRelu {
  static constexpr const char* kName = "fusion_repeated_fc_relu";
  static constexpr const char* kLegacy[] = {"fusion_repeated_fc_relu"};
  static constexpr Port kInputs[] = {in("x", "X"), list_in("w", "W"), list_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {list_out("relu_out", "ReluOut"), out("out", "Out")};
  static void lower(Lowering& l) {
    const std::vector<ValueId> weights = l.inputs("W");
    const std::vector<ValueId> biases = l.inputs("Bias");
    require(!weights.empty() && weights.size() == biases.size(), "there are ", weights.size(), " weights and ",
            biases.size(), " biases");
    ValueId x = l.input("X");
    for (size_t i = 0; i < weights.size(); ++i) {
      x = l.add(Relu{}, {{l.add(Add{}, {{l.add(MatmulWithFlatten{}, {{x}, {weights[i]}})}, {biases[i]}})}});
    }
    l.bind("Out", x);
  }
  friend bool operator==(const FusionRepeatedFcRelu&, const FusionRepeatedFcRelu&) = default;
};

inline constexpr const OpSchema* fusion_repeated_fc_relu_op = &kOpSchema<FusionRepeatedFcRelu>;

}  // namespace coracle::internal
