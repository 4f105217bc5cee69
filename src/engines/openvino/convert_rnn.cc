// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"
#include "ops/rnn/rnn.h"

namespace coracle::internal::openvino {
namespace {

/// The layer of a kind of cell, and which of Coracle's gates stands at each of OpenVINO's places.
struct CellKind {
  const char* type;
  const char* activations;
  Ints gates;
};

CellKind kind_of(RnnMode mode) {
  switch (mode) {
    case RnnMode::kLstm: return {"LSTMSequence", "sigmoid, tanh, tanh", {1, 0, 2, 3}};
    case RnnMode::kGru: return {"GRUSequence", "sigmoid, tanh", {1, 0, 2}};
    case RnnMode::kRnnRelu: return {"RNNSequence", "relu", {0}};
    default: return {"RNNSequence", "tanh", {0}};
  }
}

/// The matrices of both directions, [directions, gates * hidden, columns], as OpenVINO orders gates.
Wire matrices(Emitter& e, const Rnn& op, const CellKind& kind, int first, int step) {
  const Shape& one = e.elements(2, first).shape();
  const auto block = static_cast<size_t>(op.hidden_size * one[1]);
  std::vector<float> all;
  for (int d = 0; d < op.directions(); ++d) {
    const float* from = e.elements(2, first + d * step).data<float>();
    for (const int64_t gate : kind.gates) {
      all.insert(all.end(), from + static_cast<size_t>(gate) * block, from + static_cast<size_t>(gate + 1) * block);
    }
  }
  return e.floats(all, Shape{op.directions(), one[0], one[1]});
}

/// The sums of both biases by gate; of a GRU's last gate both, one after the other.
Wire biases(Emitter& e, const Rnn& op, const CellKind& kind, int layer) {
  const int cells = op.num_layers * op.directions();
  const bool given = e.count(2) == 4 * cells;
  const bool apart = op.mode == RnnMode::kGru;
  std::vector<float> all;
  for (int d = 0; d < op.directions(); ++d) {
    const int at = 2 * cells + 2 * (layer * op.directions() + d);
    const auto bias = [&](int which, int64_t gate, int64_t j) {
      return given ? e.elements(2, at + which).data<float>()[gate * op.hidden_size + j] : 0.0F;
    };
    for (const int64_t gate : kind.gates) {
      const bool last = apart && gate == 2;
      for (int64_t j = 0; j < op.hidden_size; ++j) all.push_back(bias(0, gate, j) + (last ? 0 : bias(1, gate, j)));
    }
    for (int64_t j = 0; apart && j < op.hidden_size; ++j) all.push_back(bias(1, 2, j));
  }
  return e.floats(all, Shape{op.directions(), static_cast<int64_t>(all.size()) / op.directions()});
}

/// The states of a layer, [batch, directions, hidden].
Wire state_of(Emitter& e, const Rnn& op, int which, int layer) {
  Wire all = e.in(1, which);
  if (op.num_layers > 1) {
    const int64_t begin = int64_t{layer} * op.directions();
    all = e.layer("Slice", "opset8",
                  {all, e.ints_of({begin}), e.ints_of({begin + op.directions()}), e.ints_of({1}), e.ints_of({0})}, {},
                  DType::kFloat32);
  }
  return e.transpose(all, {1, 0, 2});
}

Wire sequence(Emitter& e, const Rnn& op, const CellKind& kind, const std::vector<Wire>& operands) {
  const std::vector<DType> results(op.mode == RnnMode::kLstm ? 3 : 2, DType::kFloat32);
  return e.layer(kind.type, "opset5", operands,
                 {{"hidden_size", std::to_string(op.hidden_size)},
                  {"direction", op.is_bidirec ? "bidirectional" : "forward"},
                  {"activations", kind.activations},
                  {"linear_before_reset", "true"}},  // of a GRU
                 results);
}

void emit_rnn(Emitter& e) {
  const auto& op = e.as<Rnn>();
  const CellKind kind = kind_of(op.mode);
  const Shape& x = e.shape(0);
  const int states = op.mode == RnnMode::kLstm ? 2 : 1;
  std::vector<std::vector<Wire>> last(static_cast<size_t>(states));
  Wire input = e.transpose(e.in(0), {1, 0, 2});
  Wire y;
  for (int layer = 0; layer < op.num_layers; ++layer) {
    const int first = 2 * layer * op.directions();
    std::vector<Wire> operands{input};
    for (int i = 0; i < states; ++i) operands.push_back(state_of(e, op, i, layer));
    operands.push_back(e.ints_of(Ints(static_cast<size_t>(x[1]), x[0])));
    operands.push_back(matrices(e, op, kind, first, 2));
    operands.push_back(matrices(e, op, kind, first + 1, 2));
    operands.push_back(biases(e, op, kind, layer));
    y = sequence(e, op, kind, operands);
    for (int i = 0; i < states; ++i) {
      last[static_cast<size_t>(i)].push_back(e.transpose({y.layer, i + 1}, {1, 0, 2}));
    }
    // [batch, directions, time, hidden], of which directions stand side by side.
    const Shape wide{x[1], x[0], int64_t{op.hidden_size} * op.directions()};
    input = e.reshape(e.transpose(y, {0, 2, 1, 3}), wide);
  }
  e.set(e.transpose(input, {1, 0, 2}));
  for (int i = 0; i < e.facts().out_count(2); ++i) {
    const std::vector<Wire>& of_layers = last[static_cast<size_t>(i)];
    const DType dtype = DType::kFloat32;
    e.set(of_layers.size() == 1 ? of_layers[0] : e.layer("Concat", "opset1", of_layers, {{"axis", "0"}}, {&dtype, 1}),
          2, i);
  }
}

std::string refuse_rnn(const Question& q) {
  if (q.facts.has(3)) return "its sequences have lengths of their own";
  for (int i = 0; i < q.facts.count(2); ++i) {
    if (q.facts.in(2, i).value == nullptr) return "its weights are known in a run only, they must be constant";
  }
  return {};
}

constexpr Converter kRnn[] = {
    {rnn_op, kFloat | kInt32 | kInt64, kFloat, emit_rnn, refuse_rnn, 4, 3},
};

}  // namespace

extern const ConverterTable convert_rnn;
const ConverterTable convert_rnn{kRnn};

}  // namespace coracle::internal::openvino
