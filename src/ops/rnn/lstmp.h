// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// lstm whose output is projected: hidden * proj_weight [D, P] is the result and what the next step sees; weight is
/// [P, 4 * D]. cell_clip and proj_clip bound cell and projection where they are positive.
struct Lstmp {
  static constexpr const char* kName = "lstmp";
  static constexpr const char* kLegacy[] = {"lstmp"};
  static constexpr Port kInputs[] = {in("input", "Input"),
                                     optional_in("h0", "H0"),
                                     optional_in("c0", "C0"),
                                     weight_in("weight", "Weight"),
                                     weight_in("proj_weight", "ProjWeight"),
                                     weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {
      out("projection", "Projection"), out("cell", "Cell"), optional_out("batch_gate", "BatchGate"),
      optional_out("batch_cell_pre_act", "BatchCellPreAct"), optional_out("batch_hidden", "BatchHidden")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool use_peepholes = true;
  bool is_reverse = false;
  GateActivation gate_activation = GateActivation::kSigmoid;
  GateActivation cell_activation = GateActivation::kTanh;
  GateActivation candidate_activation = GateActivation::kTanh;
  GateActivation proj_activation = GateActivation::kTanh;
  double cell_clip = 0;
  double proj_clip = 0;
  void attributes(AttributeVisitor& visit) {
    visit("use_peepholes", use_peepholes);
    visit("is_reverse", is_reverse);
    visit("gate_activation", gate_activation);
    visit("cell_activation", cell_activation);
    visit("candidate_activation", candidate_activation);
    visit("proj_activation", proj_activation);
    visit("cell_clip", cell_clip);
    visit("proj_clip", proj_clip);
  }
  friend bool operator==(const Lstmp&, const Lstmp&) = default;
};

/// Both defined in src/ops/rnn/lstmp.cc.
void infer(const Lstmp& op, InferArgs& a);
void reference(const Lstmp& op, ReferenceArgs& a);

inline constexpr const OpSchema* lstmp_op = &kOpSchema<Lstmp>;

}  // namespace coracle::internal
