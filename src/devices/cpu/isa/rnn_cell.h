// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// One time step of `rows` sequences, element-wise: the matrix products are done. A row of gates holds the
/// pre-activations gate after gate, `hidden` floats each; rows lie `gate_stride` (`hidden_gate_stride`) floats apart,
/// states `state_stride`.
struct RnnCell {
  const float* gates = nullptr;           ///< from the input: LSTM i, f, g, o; GRU r, z, c; simple one gate
  const float* hidden_gates = nullptr;    ///< from the last state, added to `gates`; may be null (not for gru)
  const float* previous_state = nullptr;  ///< h of the last step (gru), c of the last step (lstm)
  float* state = nullptr;                 ///< h of this step
  float* cell = nullptr;                  ///< c of this step (lstm)
  size_t rows = 0;
  size_t hidden = 0;
  size_t gate_stride = 0;
  size_t hidden_gate_stride = 0;
  size_t state_stride = 0;           ///< of `state`
  size_t previous_state_stride = 0;  ///< of `previous_state` and `cell`
};

/// Outputs may be the previous state (lstm: cell; gru: state).
struct RnnCellFunctions {
  /// c = sigmoid(f) * c_previous + sigmoid(i) * tanh(g); h = sigmoid(o) * tanh(c).
  void (*lstm)(const RnnCell& p);
  /// c = tanh(c_x + sigmoid(r) * c_h); h = z * h_previous + (1 - z) * c with z = sigmoid(z).
  void (*gru)(const RnnCell& p);
  /// h = tanh(x), h = max(x, 0).
  void (*simple_tanh)(const RnnCell& p);
  void (*simple_relu)(const RnnCell& p);
};

CORACLE_ISA_TABLES(RnnCellFunctions, rnn_cell)

}  // namespace coracle::internal::cpu
