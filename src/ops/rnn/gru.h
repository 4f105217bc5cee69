// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// The first GRU, over sequences laid one after the other: input [rows, 3 * D] already holds the products with the
/// input; columns are update gate u, reset gate r, candidate c. weight holds [D, 2 * D] for u and r, then [D, D] for c.
/// h = (1 - u) * h_before + u * c, or with origin_mode u * h_before + (1 - u) * c.
struct Gru {
  static constexpr const char* kName = "gru";
  static constexpr const char* kLegacy[] = {"gru"};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr Port kInputs[] = {in("input", "Input"), optional_in("h0", "H0"), weight_in("weight", "Weight"),
                                     optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {optional_out("batch_gate", "BatchGate"),
                                      optional_out("batch_reset_hidden_prev", "BatchResetHiddenPrev"),
                                      optional_out("batch_hidden", "BatchHidden"), out("hidden", "Hidden")};
  GateActivation activation = GateActivation::kTanh;
  GateActivation gate_activation = GateActivation::kSigmoid;
  bool is_reverse = false;
  bool origin_mode = false;
  void attributes(AttributeVisitor& visit) {
    visit("activation", activation);
    visit("gate_activation", gate_activation);
    visit("is_reverse", is_reverse);
    visit("origin_mode", origin_mode);
  }
  friend bool operator==(const Gru&, const Gru&) = default;
};

/// Both defined in src/ops/rnn/gru.cc.
void infer(const Gru& op, InferArgs& a);
void reference(const Gru& op, ReferenceArgs& a);

inline constexpr const OpSchema* gru_op = &kOpSchema<Gru>;

}  // namespace coracle::internal
