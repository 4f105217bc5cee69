// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// One step of one sequence of Paddle's first LSTM: `gates` holds the products with the state for the candidate, the
/// input, forget and output gate, `hidden` floats each.
struct SequenceLstm {
  float* gates = nullptr;            ///< become the activated gates
  const float* input = nullptr;      ///< added to gates
  const float* bias = nullptr;       ///< as well
  const float* peepholes = nullptr;  ///< of the input, forget and output gate; or null
  float* cell = nullptr;             ///< of the last step, and of this one
  float* state = nullptr;            ///< of this step
  size_t hidden = 0;
};

/// The same of the first GRU: the update gate, the reset gate and the candidate. The candidate's product is one with
/// what `gru_gates` leaves.
struct SequenceGru {
  float* gates = nullptr;        ///< products for two gates; become the activated gates
  float* candidate = nullptr;    ///< product for the candidate; becomes the activated candidate
  const float* input = nullptr;  ///< added, for all three
  const float* bias = nullptr;   ///< as well; or null
  float* reset = nullptr;        ///< reset gate * state of the last step
  float* state = nullptr;        ///< of the last step, and of this one
  bool origin = false;           ///< the update gate is the share of the last state
  size_t hidden = 0;
};

struct SequenceCellFunctions {
  void (*lstm)(const SequenceLstm& p);
  void (*gru_gates)(const SequenceGru& p);
  void (*gru_state)(const SequenceGru& p);
};

CORACLE_ISA_TABLES(SequenceCellFunctions, sequence_cell)

}  // namespace coracle::internal::cpu
