// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/rnn/gru.h"

namespace coracle::internal {

/// gru(x @ weight_x) of a program that was optimised before it was saved.
struct FusionGru {
  static constexpr const char* kName = "fusion_gru";
  static constexpr const char* kLegacy[] = {"fusion_gru"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("h0", "H0"), weight_in("weight_x", "WeightX"),
                                     weight_in("weight_h", "WeightH"), optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {optional_out("reordered_h0", "ReorderedH0"), optional_out("xx", "XX"),
                                      optional_out("batched_input", "BatchedInput"),
                                      optional_out("batched_out", "BatchedOut"), out("hidden", "Hidden")};
  static void lower(Lowering& l) {
    const ValueId x = l.add(MatmulWithFlatten{}, {{l.input("X")}, {l.input("WeightX")}});
    const auto optional = [&](std::string_view slot) {
      return l.has(slot) ? std::vector<ValueId>{l.input(slot)} : std::vector<ValueId>{};
    };
    const NodeId node =
        l.add_node(l.read<Gru>(), {{x}, optional("H0"), {l.input("WeightH")}, optional("Bias")}, {0, 0, 0, 1});
    l.bind("Hidden", l.graph().node(node).output(3));
  }
  friend bool operator==(const FusionGru&, const FusionGru&) = default;
};

inline constexpr const OpSchema* fusion_gru_op = &kOpSchema<FusionGru>;

}  // namespace coracle::internal
