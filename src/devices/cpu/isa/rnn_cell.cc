// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/rnn_cell.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/math.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

// f(row, first element, width) for each vector of each row.
template <class F>
HWY_INLINE void each_vector(const RnnCell& p, F f) {
  for (size_t row = 0; row < p.rows; ++row) {
    for (size_t i = 0; i < p.hidden; i += kFloatLanes)
      f(row, i, p.hidden - i < kFloatLanes ? p.hidden - i : kFloatLanes);
  }
}

HWY_INLINE V from_input(const RnnCell& p, size_t row, size_t gate, size_t i, size_t width) {
  return load_width(p.gates + row * p.gate_stride + gate * p.hidden + i, width);
}
HWY_INLINE V from_state(const RnnCell& p, size_t row, size_t gate, size_t i, size_t width) {
  return load_width(p.hidden_gates + row * p.hidden_gate_stride + gate * p.hidden + i, width);
}
HWY_INLINE V gate_sum(const RnnCell& p, size_t row, size_t gate, size_t i, size_t width) {
  const V x = from_input(p, row, gate, i, width);
  return p.hidden_gates == nullptr ? x : hn::Add(x, from_state(p, row, gate, i, width));
}

void lstm(const RnnCell& p) {
  const FloatTag d;
  each_vector(p, [=, &p](size_t row, size_t i, size_t width) {
    const V input = math::sigmoid(d, gate_sum(p, row, 0, i, width));
    const V forget = math::sigmoid(d, gate_sum(p, row, 1, i, width));
    const V candidate = math::tanh(d, gate_sum(p, row, 2, i, width));
    const V output = math::sigmoid(d, gate_sum(p, row, 3, i, width));
    const size_t at = row * p.previous_state_stride + i;
    const V cell = hn::MulAdd(forget, load_width(p.previous_state + at, width), hn::Mul(input, candidate));
    store_width(cell, p.cell + at, width);
    store_width(hn::Mul(output, math::tanh(d, cell)), p.state + row * p.state_stride + i, width);
  });
}

void gru(const RnnCell& p) {
  const FloatTag d;
  each_vector(p, [=, &p](size_t row, size_t i, size_t width) {
    const V reset = math::sigmoid(d, gate_sum(p, row, 0, i, width));
    const V update = math::sigmoid(d, gate_sum(p, row, 1, i, width));
    const V candidate =
        math::tanh(d, hn::MulAdd(reset, from_state(p, row, 2, i, width), from_input(p, row, 2, i, width)));
    const V previous = load_width(p.previous_state + row * p.previous_state_stride + i, width);
    store_width(hn::MulAdd(update, hn::Sub(previous, candidate), candidate), p.state + row * p.state_stride + i, width);
  });
}

void simple_tanh(const RnnCell& p) {
  const FloatTag d;
  each_vector(p, [=, &p](size_t row, size_t i, size_t width) {
    store_width(math::tanh(d, gate_sum(p, row, 0, i, width)), p.state + row * p.state_stride + i, width);
  });
}

void simple_relu(const RnnCell& p) {
  each_vector(p, [=, &p](size_t row, size_t i, size_t width) {
    store_width(rectified(gate_sum(p, row, 0, i, width)), p.state + row * p.state_stride + i, width);
  });
}

}  // namespace

const RnnCellFunctions rnn_cell = {lstm, gru, simple_tanh, simple_relu};

}  // namespace coracle::internal::cpu::CORACLE_ISA
