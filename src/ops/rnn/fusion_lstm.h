// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/rnn/lstm.h"

namespace coracle::internal {

/// lstm(x @ weight_x) of a program that was optimised before it was saved.
struct FusionLstm {
  static constexpr const char* kName = "fusion_lstm";
  static constexpr const char* kLegacy[] = {"fusion_lstm"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     weight_in("weight_x", "WeightX"),
                                     weight_in("weight_h", "WeightH"),
                                     weight_in("bias", "Bias"),
                                     optional_in("h0", "H0"),
                                     optional_in("c0", "C0")};
  static constexpr Port kOutputs[] = {out("hidden", "Hidden"), out("cell", "Cell")};
  static void lower(Lowering& l) {
    const ValueId x = l.add(MatmulWithFlatten{}, {{l.input("X")}, {l.input("WeightX")}});
    const auto optional = [&](std::string_view slot) {
      return l.has(slot) ? std::vector<ValueId>{l.input(slot)} : std::vector<ValueId>{};
    };
    const NodeId node = l.add_node(
        l.read<Lstm>(), {{x}, optional("H0"), optional("C0"), {l.input("WeightH")}, {l.input("Bias")}}, {1, 1, 0, 0});
    l.bind("Hidden", l.graph().node(node).output(0));
    l.bind("Cell", l.graph().node(node).output(1));
  }
  friend bool operator==(const FusionLstm&, const FusionLstm&) = default;
};

inline constexpr const OpSchema* fusion_lstm_op = &kOpSchema<FusionLstm>;

}  // namespace coracle::internal
