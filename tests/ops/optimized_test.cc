// SPDX-License-Identifier: Apache-2.0
// Operators of programs that were optimised for oneDNN or cuDNN before they were saved: each must give what the plain
// operators that it stands for give.

#include <gtest/gtest.h>

#include "support/plain_operators.h"
#include "support/program_results.h"

namespace coracle::internal {
namespace {

using test::add;
using test::Dims;
using test::expect_same;
using test::Input;
using test::matmul;
using test::Names;
using test::OpWriter;
using test::reshape;
using test::transpose;
using test::unary;

TEST(Optimized, MatmulScalesAddsActivatesAndScales) {
  const std::vector<Input> inputs{{"x", {2, 3, 4}}, {"w", {5, 4}}, {"r", {2, 3, 5}}};
  OpWriter fused("fused_matmul");
  fused.in("X", {"x"}).in("Y", {"w"}).in("ResidualData", {"r"}).out("Out", {"y"}).boolean("trans_y", true);
  fused.real("matmul_alpha", 0.5F).string("fuse_activation", "relu").real("fused_output_scale", 3.0F);
  expect_same(inputs, fused,
              {matmul("x", "w", "p").boolean("trans_y", true), unary("scale", "p", "s").real("scale", 0.5F),
               add("s", "r", "t"), unary("relu", "t", "a"), unary("scale", "a", "y").real("scale", 3.0F)});
}

TEST(Optimized, MatmulReshapesAndTransposesAroundTheProduct) {
  const std::vector<Input> inputs{{"x", {2, 3, 8}}, {"w", {2, 2, 4, 3}}};
  OpWriter fused("fused_matmul");
  fused.in("X", {"x"}).in("Y", {"w"}).out("Out", {"y"}).integers("fused_reshape_X", {0, 0, 2, 4});
  fused.integers("fused_transpose_X", {0, 2, 1, 3}).integers("fused_transpose_Out", {0, 2, 1, 3});
  fused.integers("fused_reshape_Out", {0, 0, 6});
  expect_same(inputs, fused,
              {reshape("x", {0, 0, 2, 4}, "r"), transpose("r", {0, 2, 1, 3}, "t"), matmul("t", "w", "p"),
               transpose("p", {0, 2, 1, 3}, "q"), reshape("q", {0, 0, 6}, "y")});
}

TEST(Optimized, MatmulRefusesScalesOfQuantisedOperands) {
  OpWriter fused("fused_matmul");
  fused.in("X", {"x"}).in("Y", {"w"}).out("Out", {"y"}).real("Scale_x", 2.0F);
  EXPECT_THROW(test::run({{"x", {2, 3}}, {"w", {3, 2}}}, {fused}), Error);
}

TEST(Optimized, TransposeSqueezesBeforeAndUnsqueezesAfter) {
  const std::vector<Input> inputs{{"x", {2, 1, 3, 4}}};
  OpWriter fused("fused_transpose");
  fused.in("X", {"x"}).out("Out", {"y"}).integers("axis", {2, 0, 1}).integers("fused_squeeze2_axes", {1});
  expect_same(inputs, fused.integers("fused_unsqueeze2_axes", {0}),
              {unary("squeeze2", "x", "s").integers("axes", {1}), transpose("s", {2, 0, 1}, "t"),
               unary("unsqueeze2", "t", "y").integers("axes", {0})});
  OpWriter reshaped("fused_transpose");
  reshaped.in("X", {"x"}).out("Out", {"y"}).integers("axis", {3, 1, 2, 0}).integers("fused_reshape2_shape", {4, -1});
  expect_same(inputs, reshaped, {transpose("x", {3, 1, 2, 0}, "t"), reshape("t", {4, -1}, "y")});
}

TEST(Optimized, SoftplusWithAnActivation) {
  OpWriter fused("fused_softplus");
  fused.in("X", {"x"}).out("Out", {"y"}).real("beta", 2.0F).real("threshold", 20.0F);
  expect_same({{"x", {3, 5}}}, fused.string("fuse_activation", "tanh"),
              {unary("softplus", "x", "s").real("beta", 2.0F).real("threshold", 20.0F), unary("tanh", "s", "y")});
}

TEST(Optimized, ConvolutionOverThreeDimensions) {
  const std::vector<Input> inputs{{"x", {1, 2, 3, 4, 5}}, {"w", {3, 2, 1, 2, 2}}, {"b", {3}}, {"r", {1, 3, 3, 3, 4}}};
  const auto with_sizes = [](OpWriter op) {
    return op.integers("strides", {1, 1, 1})
        .integers("paddings", {0, 0, 0})
        .integers("dilations", {1, 1, 1})
        .integer("groups", 1);
  };
  OpWriter fused("fused_conv3d");
  fused.in("Input", {"x"}).in("Filter", {"w"}).in("Bias", {"b"}).in("ResidualData", {"r"}).out("Output", {"y"});
  OpWriter plain("conv3d");
  plain.in("Input", {"x"}).in("Filter", {"w"}).out("Output", {"c"});
  expect_same(inputs, with_sizes(fused).string("fuse_activation", "relu").boolean("fuse_residual_connection", true),
              {with_sizes(plain), add("c", "b", "d", 1), add("d", "r", "e"), unary("relu", "e", "y")});
}

TEST(Optimized, LayersOfGruInBothDirections) {
  const std::vector<Input> inputs{{"x", {4, 3}},   {"wx0", {3, 6}}, {"wx1", {3, 6}}, {"wx2", {4, 6}}, {"wx3", {4, 6}},
                                  {"wh0", {2, 6}}, {"wh1", {2, 6}}, {"wh2", {2, 6}}, {"wh3", {2, 6}}};
  OpWriter fused("multi_gru");
  fused.in("X", {"x"}).in("WeightX", {"wx0", "wx1", "wx2", "wx3"}).in("WeightH", {"wh0", "wh1", "wh2", "wh3"});
  fused.out("Hidden", {"y"}).integer("layers", 2).boolean("origin_mode", true);
  std::vector<OpWriter> plain;
  const auto gru = [&](const std::string& x, const std::string& number, bool reverse, const std::string& to) {
    OpWriter op("fusion_gru");
    op.in("X", {x}).in("WeightX", {"wx" + number}).in("WeightH", {"wh" + number}).out("Hidden", {to});
    plain.push_back(op.boolean("is_reverse", reverse).boolean("origin_mode", true));
  };
  const auto join = [&](const Names& parts, const std::string& to) {
    plain.push_back(OpWriter("concat").in("X", parts).out("Out", {to}).integer("axis", 1));
  };
  gru("x", "0", false, "a");
  gru("x", "1", true, "b");
  join({"a", "b"}, "m");
  gru("m", "2", false, "c");
  gru("m", "3", true, "d");
  join({"c", "d"}, "y");
  expect_same(inputs, fused, plain);
}

TEST(Optimized, LstmOfAGpuWithOneVectorOfWeights) {
  // Two directions, D = 2, three features: matrices [8, 3] and [8, 2] each, then four biases of 8.
  const int64_t matrices = 2 * (8 * 3 + 8 * 2);
  const std::vector<Input> inputs{{"x", {3, 2, 3}}, {"h", {2, 2, 2}}, {"c", {2, 2, 2}}, {"w", {matrices + 32}}};
  OpWriter fused("cudnn_lstm");
  fused.in("Input", {"x"}).in("InitH", {"h"}).in("InitC", {"c"}).in("W", {"w"}).out("Out", {"y"});
  fused.boolean("is_bidirec", true).integer("hidden_size", 2).integer("num_layers", 1).integer("input_size", 3);
  std::vector<OpWriter> plain;
  Names weights;
  int64_t begin = 0;
  const auto part = [&](const Dims& dims) {
    const std::string name = "p" + std::to_string(weights.size());
    const int64_t end = begin + (dims.size() == 2 ? dims[0] * dims[1] : dims[0]);
    OpWriter slice("slice");
    slice.in("Input", {"w"}).out("Out", {name + "f"}).integers("axes", {0}).integers("starts", {begin});
    plain.push_back(slice.integers("ends", {end}));
    plain.push_back(reshape(name + "f", dims, name));
    weights.push_back(name);
    begin = end;
  };
  for (int direction = 0; direction < 2; ++direction) {
    part({8, 3});
    part({8, 2});
  }
  for (int bias = 0; bias < 4; ++bias) part({8});
  OpWriter rnn("rnn");
  rnn.in("Input", {"x"}).in("PreState", {"h", "c"}).in("WeightList", weights).out("Out", {"y"});
  rnn.out("State", {"lh", "lc"}).string("mode", "LSTM").boolean("is_bidirec", true).integer("hidden_size", 2);
  plain.push_back(rnn.integer("num_layers", 1));
  expect_same(inputs, fused, plain);
}

TEST(Optimized, LayersWithARowOfBiasForEachSlot) {
  OpWriter fused("batch_fc");
  fused.in("Input", {"x"}).in("W", {"w"}).in("Bias", {"b"}).out("Out", {"y"});
  expect_same({{"x", {2, 3, 4}}, {"w", {2, 4, 5}}, {"b", {2, 5}}}, fused,
              {matmul("x", "w", "p"), reshape("b", {2, 1, 5}, "c"), add("p", "c", "y")});
}

}  // namespace
}  // namespace coracle::internal
