// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/lstmp.h"

#include "ops/rnn/lstm_sequence.h"

namespace coracle::internal {
namespace {

LstmSequence projected_sequence(const Lstmp& op) {
  return {.weight = 3,
          .projection = 4,
          .bias = 5,
          .use_peepholes = op.use_peepholes,
          .is_reverse = op.is_reverse,
          .gate = op.gate_activation,
          .cell = op.cell_activation,
          .candidate = op.candidate_activation,
          .projected = op.proj_activation,
          .cell_clip = op.cell_clip,
          .projection_clip = op.proj_clip};
}

}  // namespace

void infer(const Lstmp& op, InferArgs& a) { infer_lstm_sequence(projected_sequence(op), a); }
void reference(const Lstmp& op, ReferenceArgs& a) { reference_lstm_sequence(projected_sequence(op), a); }

}  // namespace coracle::internal
