// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// The first LSTM, over sequences laid one after the other: input [rows, 4 * D] already holds the products with the
/// input; columns are candidate, input, forget and output gate. weight is [D, 4 * D], bias 4 * D numbers plus, with
/// use_peepholes, 3 * D weights of the cell to the input, forget and output gate.
struct Lstm {
  static constexpr const char* kName = "lstm";
  static constexpr const char* kLegacy[] = {"lstm"};
  static constexpr Port kInputs[] = {in("input", "Input"), optional_in("h0", "H0"), optional_in("c0", "C0"),
                                     weight_in("weight", "Weight"), weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("hidden", "Hidden"), out("cell", "Cell"),
                                      optional_out("batch_gate", "BatchGate"),
                                      optional_out("batch_cell_pre_act", "BatchCellPreAct")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool use_peepholes = true;
  bool is_reverse = false;
  GateActivation gate_activation = GateActivation::kSigmoid;
  GateActivation cell_activation = GateActivation::kTanh;
  GateActivation candidate_activation = GateActivation::kTanh;
  void attributes(AttributeVisitor& visit) {
    visit("use_peepholes", use_peepholes);
    visit("is_reverse", is_reverse);
    visit("gate_activation", gate_activation);
    visit("cell_activation", cell_activation);
    visit("candidate_activation", candidate_activation);
  }
  friend bool operator==(const Lstm&, const Lstm&) = default;
};

/// Both defined in src/ops/rnn/lstm.cc.
void infer(const Lstm& op, InferArgs& a);
void reference(const Lstm& op, ReferenceArgs& a);

inline constexpr const OpSchema* lstm_op = &kOpSchema<Lstm>;

}  // namespace coracle::internal
