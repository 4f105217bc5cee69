// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/movement/concat.h"
#include "ops/rnn/gru.h"

namespace coracle::internal {

/// Layers of gru() in both directions, of a program that was optimised before it was saved: each layer takes the two
/// results of the one before side by side.
struct MultiGru {
  static constexpr const char* kName = "multi_gru";
  static constexpr const char* kLegacy[] = {"multi_gru"};
  static constexpr Port kInputs[] = {in("x", "X"), list_in("weight_x", "WeightX"), list_in("weight_h", "WeightH"),
                                     list_in("bias", "Bias"), list_in("scale_weights", "Scale_weights")};
  static constexpr Port kOutputs[] = {out("hidden", "Hidden")};
  static void lower(Lowering& l) {
    const std::vector<ValueId> input_weights = l.inputs("WeightX");
    const size_t layers = input_weights.size() / 2;
    const std::vector<ValueId> state_weights = l.inputs("WeightH");
    const std::vector<ValueId> biases = l.inputs("Bias");
    require(l.inputs("Scale_weights").empty(), ErrorCode::kUnsupported, "quantised weights are not supported");
    require(l.attribute<int64_t>("layers", 1) == static_cast<int64_t>(layers) &&
                input_weights.size() == state_weights.size() && input_weights.size() == 2 * layers,
            "there are ", input_weights.size(), " and ", state_weights.size(), " weights for ",
            l.attribute<int64_t>("layers", 1), " layers, expected twice as many");
    require(biases.empty() || biases.size() == 2 * layers, "there are ", biases.size(), " biases for ", layers,
            " layers");
    Gru gru = l.read<Gru>();
    ValueId y = l.input("X");
    for (size_t layer = 0; layer < layers; ++layer) {
      std::vector<ValueId> directions;
      for (size_t i = 2 * layer; i < 2 * layer + 2; ++i) {
        gru.is_reverse = i % 2 == 1;
        const ValueId x = l.add(MatmulWithFlatten{}, {{y}, {input_weights[i]}});
        const std::vector<ValueId> bias = biases.empty() ? biases : std::vector<ValueId>{biases[i]};
        const NodeId node = l.add_node(gru, {{x}, {}, {state_weights[i]}, bias}, {0, 0, 0, 1});
        directions.push_back(l.graph().node(node).output(3));
      }
      y = l.add(Concat{}, {directions, {l.constant(Tensor::scalar<int64_t>(1))}});
    }
    l.bind("Hidden", y);
  }
  friend bool operator==(const MultiGru&, const MultiGru&) = default;
};

inline constexpr const OpSchema* multi_gru_op = &kOpSchema<MultiGru>;

}  // namespace coracle::internal
