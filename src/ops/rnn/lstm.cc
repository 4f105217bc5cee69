// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/lstm.h"

#include "ops/rnn/lstm_sequence.h"

namespace coracle::internal {
namespace {

LstmSequence sequence_of(const Lstm& op) {
  return {.use_peepholes = op.use_peepholes,
          .is_reverse = op.is_reverse,
          .gate = op.gate_activation,
          .cell = op.cell_activation,
          .candidate = op.candidate_activation};
}

}  // namespace

void infer(const Lstm& op, InferArgs& a) { infer_lstm_sequence(sequence_of(op), a); }
void reference(const Lstm& op, ReferenceArgs& a) { reference_lstm_sequence(sequence_of(op), a); }

}  // namespace coracle::internal
