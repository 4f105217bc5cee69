// SPDX-License-Identifier: Apache-2.0
// Quantised operators with integers of OpenVINO's own, which only `precision` int8 allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engines/openvino/network.h"
#include "graph/text.h"
#include "openvino_support.h"
#include "run_block.h"

namespace coracle::internal::test {
namespace {

/// Weights that are integers of a step for each channel, some steps from `most`, as constants of a graph's text.
std::string weights_text(int64_t channels, int64_t each, int most) {
  std::string out;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < each; ++i) {
      const int64_t integer = i == 0 ? most : (c * 31 + i * 17) % (2 * most + 1) - most;
      out.append(out.empty() ? "" : ", ").append(text(static_cast<float>(integer) * 0.01F * static_cast<float>(c + 1)));
    }
  }
  return out;
}

struct Quantized {
  const char* title;
  std::string graph;
};

/// `most`: the largest integer of weights. From 64 on no smaller step has them as integers of 8 bits.
std::vector<Quantized> quantized_graphs(int most = 64) {
  const auto filter = [most](const char* shape, int64_t channels, int64_t each) {
    return text("  @w: float32", shape, " = {", weights_text(channels, each, most), "}\n");
  };
  return {
      {"conv2d", "graph (%x \"-2..2\": float32[1, 8, 9, 7]) {\n  @s: float32[1] = {2}\n" +
                     filter("[4, 8, 3, 3]", 4, 72) +
                     "  %q = quantize_linear(%x, @s, _, _, _) {quant_axis = -1}\n"
                     "  %d = dequantize_linear(%q, @s, _, _, _) {quant_axis = -1}\n"
                     "  %y = conv2d(%d, @w) {paddings = [1, 1]}\n  %z = relu(%y)\n  return %z\n}\n"},
      {"depthwise_conv2d", "graph (%x \"-2..2\": float32[1, 8, 9, 7]) {\n  @s: float32[1] = {2}\n" +
                               filter("[8, 1, 3, 3]", 8, 9) +
                               "  %d = fake_quantize_dequantize_moving_average_abs_max(%x, @s, _, _)\n"
                               "  %y = depthwise_conv2d(%d, @w) {paddings = [1, 1], groups = 8}\n  return %y\n}\n"},
      {"integers in float32, brought back behind",
       "graph (%x \"-2..2\": float32[1, 8, 9, 7]) {\n  @s: float32[1] = {2}\n" + filter("[4, 8, 1, 1]", 4, 8) +
           "  %q = fake_quantize_moving_average_abs_max(%x, @s, _, _)\n"
           "  %y = conv2d(%q, @w)\n  %z = dequantize_linear(%y, @s, _, _, _) {quant_axis = -1}\n  return %z\n}\n"},
      {"linear", "graph (%x \"-2..2\": float32[5, 16]) {\n  @s: float32[1] = {2}\n" + filter("[12, 16]", 12, 16) +
                     "  %q = quantize_linear(%x, @s, _, _, _) {quant_axis = -1, round_type = half_away_from_zero}\n"
                     "  %d = dequantize_linear(%q, @s, _, _, _) {quant_axis = -1}\n"
                     "  %y = linear(%d, @w) {transpose_w = true}\n  return %y\n}\n"},
      {"conv2d_transpose", "graph (%x \"-2..2\": float32[1, 3, 5, 5]) {\n  @s: float32[1] = {2}\n" +
                               filter("[3, 1, 2, 2]", 1, 12) +
                               "  %d = fake_quantize_dequantize_moving_average_abs_max(%x, @s, _, _)\n"
                               "  %y = conv2d_transpose(%d, @w, _) {strides = [2, 2]}\n  return %y\n}\n"},
  };
}

std::vector<Fact> facts_of(const Graph& graph) {
  std::vector<Fact> facts;
  for (size_t v = 0; v < graph.value_count(); ++v) facts.push_back(graph.fact(static_cast<ValueId>(v)));
  return facts;
}

TEST(OpenVinoIntegers, AreWrittenOnlyWhereTheyAreAllowed) {
  for (const Quantized& q : quantized_graphs()) {
    SCOPED_TRACE(q.title);
    const Graph graph = parse(q.graph);
    const std::string simulated = openvino::make_network(graph, facts_of(graph), openvino::Integers::kNone).ir.text();
    const std::string integers =
        openvino::make_network(graph, facts_of(graph), openvino::Integers::kIn16Bits).ir.text();
    EXPECT_EQ(simulated.find("FakeQuantize"), std::string::npos);
    EXPECT_EQ(simulated.find("\"i8\""), std::string::npos);
    EXPECT_NE(integers.find("FakeQuantize"), std::string::npos);
    EXPECT_NE(integers.find("\"i8\""), std::string::npos);
  }
}

TEST(OpenVinoIntegers, WeightsWhoseSumsAreCutOffStayInFloat32) {
  for (const Quantized& q : quantized_graphs(127)) {
    SCOPED_TRACE(q.title);
    const Graph graph = parse(q.graph);
    const auto text_of = [&](openvino::Integers integers) {
      return openvino::make_network(graph, facts_of(graph), integers).ir.text();
    };
    EXPECT_EQ(text_of(openvino::Integers::kIn16Bits).find("\"i8\""), std::string::npos);
    EXPECT_NE(text_of(openvino::Integers::kAll).find("\"i8\""), std::string::npos);
  }
}

class OpenVinoIntegersOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Weights, OpenVinoIntegersOf, testing::Values(64, 127));

TEST_P(OpenVinoIntegersOf, AnswersAreNearTheSimulation) {
  CORACLE_NEEDS_OPENVINO();
  for (const Quantized& q : quantized_graphs(GetParam())) {
    SCOPED_TRACE(q.title);
    const Graph graph = parse(q.graph);
    const std::vector<Tensor> inputs = inputs_for(graph);
    const std::vector<Tensor> simulated = run_by_engine(graph, inputs);
    const std::vector<Tensor> integers = run_by_engine(graph, inputs, 1, {.precision = Precision::kInt8});
    ASSERT_EQ(integers.size(), simulated.size());
    double largest = 0;
    for (const double v : simulated[0].doubles()) largest = std::max(largest, std::abs(v));
    const std::vector<double> got = integers[0].doubles();
    const std::vector<double> want = simulated[0].doubles();
    // A number on the edge between two steps may get the other one.
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 0.02 * largest) << i;
  }
}

}  // namespace
}  // namespace coracle::internal::test
