// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/rnn_cell.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(RnnCellKernels, MatchDoubleArithmetic) {
  for (Isa isa : tested_isas()) {
    const RnnCellFunctions& table = rnn_cell_table(isa);
    for (size_t hidden : {1, 3, 8, 16, 19, 48, 100}) {
      const size_t rows = 3, gate_stride = 4 * hidden + 2, hidden_stride = 4 * hidden, state_stride = 2 * hidden;
      const std::vector<float> gates = random_floats(rows * gate_stride, 1, -4, 4),
                               more = random_floats(rows * hidden_stride, 2, -4, 4),
                               before = random_floats(rows * hidden, 3);
      for (bool both : {false, true}) {
        const auto x = [&](size_t r, size_t gate, size_t i) {
          return double{gates[r * gate_stride + gate * hidden + i]};
        };
        const auto h = [&](size_t r, size_t gate, size_t i) {
          return both ? double{more[r * hidden_stride + gate * hidden + i]} : 0;
        };
        std::vector<float> state(rows * state_stride, 77.0f), cell = before;
        RnnCell p;
        p.gates = gates.data();
        p.hidden_gates = both ? more.data() : nullptr;
        p.previous_state = cell.data();
        p.state = state.data();
        p.cell = cell.data();
        p.rows = rows;
        p.hidden = hidden;
        p.gate_stride = gate_stride;
        p.hidden_gate_stride = hidden_stride;
        p.state_stride = state_stride;
        p.previous_state_stride = hidden;
        table.lstm(p);
        for (size_t r = 0; r < rows; ++r) {
          for (size_t i = 0; i < hidden; ++i) {
            const double c = sigmoid(x(r, 1, i) + h(r, 1, i)) * before[r * hidden + i] +
                             sigmoid(x(r, 0, i) + h(r, 0, i)) * std::tanh(x(r, 2, i) + h(r, 2, i));
            EXPECT_TRUE(near(cell[r * hidden + i], c, 1e-6, 1)) << name_of(isa);
            EXPECT_TRUE(near(state[r * state_stride + i], sigmoid(x(r, 3, i) + h(r, 3, i)) * std::tanh(c), 1e-6, 1));
            EXPECT_EQ(state[r * state_stride + hidden + i], 77.0f);
          }
        }
        table.simple_tanh(p);
        for (size_t i = 0; i < hidden; ++i) EXPECT_TRUE(near(state[i], std::tanh(x(0, 0, i) + h(0, 0, i)), 1e-6));
        table.simple_relu(p);
        for (size_t i = 0; i < hidden; ++i)
          EXPECT_TRUE(near(state[i], std::max(x(0, 0, i) + h(0, 0, i), 0.0), 1e-6, 1));
        if (!both) continue;
        std::vector<float> same = before;
        p.previous_state = same.data();
        p.state = same.data();
        p.state_stride = hidden;
        table.gru(p);
        for (size_t r = 0; r < rows; ++r) {
          for (size_t i = 0; i < hidden; ++i) {
            const double reset = sigmoid(x(r, 0, i) + h(r, 0, i)), update = sigmoid(x(r, 1, i) + h(r, 1, i));
            const double candidate = std::tanh(x(r, 2, i) + reset * h(r, 2, i));
            EXPECT_TRUE(
                near(same[r * hidden + i], update * before[r * hidden + i] + (1 - update) * candidate, 1e-6, 1));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
