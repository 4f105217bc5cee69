// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/rnn/recurrent.h"

namespace coracle::internal {

/// What lstm and lstmp have in common. Result 0 is `state` wide (the hidden or the projected state), result 1 the cell.
struct LstmSequence {
  int weight = 3;       ///< ports
  int projection = -1;  ///< -1: none
  int bias = 4;
  bool use_peepholes = true;
  bool is_reverse = false;
  GateActivation gate = GateActivation::kSigmoid;
  GateActivation cell = GateActivation::kTanh;
  GateActivation candidate = GateActivation::kTanh;
  GateActivation projected = GateActivation::kTanh;
  double cell_clip = 0;
  double projection_clip = 0;
};

void infer_lstm_sequence(const LstmSequence& op, InferArgs& a);
void reference_lstm_sequence(const LstmSequence& op, ReferenceArgs& a);

}  // namespace coracle::internal
