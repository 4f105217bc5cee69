// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/movement/split.h"
#include "ops/rnn/rnn.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {

/// lstm() of a GPU over [time, batch, features]: rnn() with the weights as one vector (matrices of all layers and
/// directions, then their biases) or as its list.
struct CudnnLstm {
  static constexpr const char* kName = "cudnn_lstm";
  static constexpr const char* kLegacy[] = {"cudnn_lstm"};
  static constexpr Port kInputs[] = {in("x", "Input"),
                                     in("init_h", "InitH"),
                                     in("init_c", "InitC"),
                                     optional_weight_in("w", "W"),
                                     list_in("weight_list", "WeightList"),
                                     optional_in("sequence_length", "SequenceLength")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("last_h", "LastH"),
                                      optional_out("last_c", "LastC"), optional_out("reserve", "Reserve"),
                                      optional_out("state_out", "StateOut")};
  static void lower(Lowering& l) {
    Rnn rnn;
    rnn.mode = RnnMode::kLstm;
    rnn.is_bidirec = l.attribute<bool>("is_bidirec");
    rnn.hidden_size = l.attribute<int>("hidden_size", 100);
    rnn.num_layers = l.attribute<int>("num_layers", 1);
    std::vector<ValueId> weights = l.inputs("WeightList");
    if (weights.empty()) weights = parts_of(l, rnn);
    PortValues operands{{l.input("Input")}, {l.input("InitH"), l.input("InitC")}, weights};
    if (l.has("SequenceLength")) operands.push_back({l.input("SequenceLength")});
    const NodeId node = l.add_node(rnn, operands, {1, 0, 2, 0});
    l.bind("Out", l.graph().node(node).output(0));
    l.bind("LastH", l.graph().node(node).output(1));
    l.bind("LastC", l.graph().node(node).output(2));
  }

 private:
  /// The one vector cut into the matrices and biases of rnn().
  static std::vector<ValueId> parts_of(Lowering& l, const Rnn& rnn) {
    const int64_t hidden = rnn.hidden_size;
    const int64_t rows = 4 * hidden;
    int64_t features = l.attribute<int64_t>("input_size", 0);
    if (features <= 0 && l.fact(l.input("Input")).shape.rank() > 0) features = l.fact(l.input("Input")).shape.back();
    constexpr int64_t kMost = 1 << 20;
    require(rnn.num_layers > 0 && rnn.num_layers <= 1024, "num_layers is ", rnn.num_layers, ", expected 1 to 1024");
    require(features > 0 && hidden > 0 && features <= kMost && hidden <= kMost, "input_size is ", features,
            " and hidden_size ", hidden, ", expected positive numbers");
    std::vector<Shape> shapes;
    for (int layer = 0; layer < rnn.num_layers; ++layer) {
      for (int direction = 0; direction < rnn.directions(); ++direction) {
        shapes.push_back({rows, layer == 0 ? features : hidden * rnn.directions()});
        shapes.push_back({rows, hidden});
      }
    }
    shapes.insert(shapes.end(), shapes.size(), Shape{rows});
    Ints sizes;
    for (const Shape& s : shapes) sizes.push_back(s.count());
    const ValueId flat = l.add(Reshape{}, {{l.input("W")}, {l.constant(Tensor::ints(Ints{-1}))}});
    const NodeId node =
        l.add_node(Split{}, {{flat}, {l.constant(Tensor::ints(sizes))}, {l.constant(Tensor::scalar<int64_t>(0))}},
                   {static_cast<int>(sizes.size())});
    std::vector<ValueId> weights;
    for (size_t i = 0; i < shapes.size(); ++i) {
      const ValueId part = l.graph().node(node).outputs[i];
      const Ints dims(shapes[i].begin(), shapes[i].end());
      weights.push_back(l.add(Reshape{}, {{part}, {l.constant(Tensor::ints(dims))}}));
    }
    return weights;
  }

 public:
  friend bool operator==(const CudnnLstm&, const CudnnLstm&) = default;
};

inline constexpr const OpSchema* cudnn_lstm_op = &kOpSchema<CudnnLstm>;

}  // namespace coracle::internal
