// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

enum class RnnMode : uint8_t { kRnnTanh, kRnnRelu, kLstm, kGru };

inline std::span<const std::string_view> names_of(RnnMode) {
  static constexpr std::string_view kNames[] = {"RNN_TANH", "RNN_RELU", "LSTM", "GRU"};
  return kNames;
}

/// Layers of recurrent cells over time. x is [time, batch, features]; pre_state is h (and c for LSTM), each
/// [layers * directions, batch, hidden_size]. weight_list has for each layer and direction the matrices of the input
/// and of the state ([gates * hidden_size, columns] each), and after all of them, in the same order, the two biases
/// (which may be absent as a whole). Gates are i, f, g, o (LSTM) and r, z, c (GRU; r applies after the product with the
/// state). Steps from sequence_length on give 0 and leave the state alone; the backward direction starts at the last
/// valid step.
struct Rnn {
  static constexpr const char* kName = "rnn";
  static constexpr const char* kLegacy[] = {"rnn"};
  static constexpr Port kInputs[] = {
      in("x", "Input"),
      list_in("pre_state", "PreState"),
      {.name = "weight_list", .kind = Port::Kind::kList, .slot = "WeightList", .weight = true},
      optional_in("sequence_length", "SequenceLength"),
      optional_in("dropout_state_in", "DropoutState")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("dropout_state_out", "DropoutState"),
                                      list_out("state", "State"), optional_out("reserve", "Reserve")};
  bool is_bidirec = false;
  int hidden_size = 100;
  int num_layers = 1;
  RnnMode mode = RnnMode::kRnnTanh;
  void attributes(AttributeVisitor& visit) {
    visit("is_bidirec", is_bidirec);
    visit("hidden_size", hidden_size);
    visit("num_layers", num_layers);
    visit("mode", mode);
  }
  int directions() const { return is_bidirec ? 2 : 1; }
  int gates() const { return mode == RnnMode::kLstm ? 4 : mode == RnnMode::kGru ? 3 : 1; }
  friend bool operator==(const Rnn&, const Rnn&) = default;
};

/// Both defined in src/ops/rnn/rnn.cc.
void infer(const Rnn& op, InferArgs& a);
void reference(const Rnn& op, ReferenceArgs& a);

/// Every step of every sequence meets all matrices.
inline int64_t flops(const Rnn&, const NodeFacts& f) {
  int64_t weights = 0;
  for (int i = 0; i < f.count(2); ++i) {
    if (f.shape(2, i).rank() == 2) weights += f.shape(2, i).count();
  }
  return 2 * f.shape(0)[0] * f.shape(0)[1] * weights;
}

inline constexpr const OpSchema* rnn_op = &kOpSchema<Rnn>;

}  // namespace coracle::internal
