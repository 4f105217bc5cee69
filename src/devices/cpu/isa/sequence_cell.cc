// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/sequence_cell.h"

#include "devices/cpu/isa/accumulate.h"
#include "devices/cpu/isa/math.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

// f(first element, width) for each vector of `n` elements.
template <class F>
HWY_INLINE void each_vector(size_t n, F f) {
  for (size_t i = 0; i < n; i += kFloatLanes) f(i, n - i < kFloatLanes ? n - i : kFloatLanes);
}

void lstm(const SequenceLstm& p) {
  const FloatTag d;
  each_vector(p.hidden, [=, &p](size_t i, size_t width) {
    const auto sum = [&](size_t gate) {
      const size_t at = gate * p.hidden + i;
      const V x = hn::Add(load_width(p.input + at, width), load_width(p.bias + at, width));
      return hn::Add(load_width(p.gates + at, width), x);
    };
    const auto peep = [&](size_t gate, V cell, V total) {
      if (p.peepholes == nullptr) return total;
      return hn::MulAdd(cell, load_width(p.peepholes + gate * p.hidden + i, width), total);
    };
    V cell = load_width(p.cell + i, width);
    const V candidate = math::tanh(d, sum(0));
    const V in = math::sigmoid(d, peep(0, cell, sum(1)));
    const V forget = math::sigmoid(d, peep(1, cell, sum(2)));
    cell = hn::MulAdd(forget, cell, hn::Mul(candidate, in));
    const V out = math::sigmoid(d, peep(2, cell, sum(3)));
    store_width(cell, p.cell + i, width);
    store_width(hn::Mul(out, math::tanh(d, cell)), p.state + i, width);
    store_width(candidate, p.gates + i, width);
    store_width(in, p.gates + p.hidden + i, width);
    store_width(forget, p.gates + 2 * p.hidden + i, width);
    store_width(out, p.gates + 3 * p.hidden + i, width);
  });
}

HWY_INLINE V from_input(const SequenceGru& p, size_t gate, size_t i, size_t width) {
  const size_t at = gate * p.hidden + i;
  const V x = load_width(p.input + at, width);
  return p.bias == nullptr ? x : hn::Add(x, load_width(p.bias + at, width));
}

void gru_gates(const SequenceGru& p) {
  const FloatTag d;
  each_vector(p.hidden, [=, &p](size_t i, size_t width) {
    float* to = p.gates + i;
    const V update = math::sigmoid(d, hn::Add(load_width(to, width), from_input(p, 0, i, width)));
    const V reset = math::sigmoid(d, hn::Add(load_width(to + p.hidden, width), from_input(p, 1, i, width)));
    store_width(update, to, width);
    store_width(reset, to + p.hidden, width);
    store_width(hn::Mul(reset, load_width(p.state + i, width)), p.reset + i, width);
  });
}

void gru_state(const SequenceGru& p) {
  const FloatTag d;
  each_vector(p.hidden, [=, &p](size_t i, size_t width) {
    const V candidate = math::tanh(d, hn::Add(load_width(p.candidate + i, width), from_input(p, 2, i, width)));
    const V last = load_width(p.state + i, width);
    const V update = load_width(p.gates + i, width);
    const V from = p.origin ? candidate : last;
    const V to = p.origin ? last : candidate;
    store_width(candidate, p.candidate + i, width);
    store_width(hn::MulAdd(update, hn::Sub(to, from), from), p.state + i, width);
  });
}

}  // namespace

extern const SequenceCellFunctions sequence_cell;
const SequenceCellFunctions sequence_cell = {lstm, gru_gates, gru_state};

}  // namespace coracle::internal::cpu::CORACLE_ISA
