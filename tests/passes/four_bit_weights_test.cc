// SPDX-License-Identifier: Apache-2.0
#include "passes/four_bit_weights.h"

#include <gtest/gtest.h>

#include <functional>

#include "graph/text.h"
#include "passes/pass.h"
#include "passes/pass_cases.h"

// Weights of four bits that a table unpacks: products read them as they are, and whatever is nearly that stays right.
namespace coracle::internal {
namespace {

std::string listed(int64_t count, const std::function<int64_t(int64_t)>& element) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i) text.append(i == 0 ? "" : ", ").append(std::to_string(element(i)));
  return text + "}";
}

std::string dims_of(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text.append(i == 0 ? "" : ", ").append(std::to_string(dims[i]));
  return text + "]";
}

struct Shapes {
  std::vector<int64_t> bytes;
  std::vector<int64_t> steps;
  std::vector<int64_t> matrix;
};
/// 48 x 16 in groups of 24.
const Shapes kMatrix{{2, 24, 8}, {2, 1, 8, 2}, {48, 16}};
/// 16 x 48, the same of which each row is a column.
const Shapes kTransposed{{16, 2, 12}, {16, 2, 1, 1}, {16, 48}};

/// %w, made of bytes.
std::string weights(const Shapes& s) {
  int64_t bytes = 1;
  for (int64_t d : s.bytes) bytes *= d;
  std::vector<int64_t> rows = s.bytes;
  rows.push_back(2);
  return "@b: uint8" + dims_of(s.bytes) + " = " + listed(bytes, [](int64_t i) { return i * 89 % 256; }) +
         "\n@t: float32[256, 2] = " +
         listed(512, [](int64_t i) { return (i % 2 == 0 ? i / 2 % 16 : i / 2 / 16) - 8; }) + "\n@s: float32" +
         dims_of(s.steps) + " = random(3, 0.1, 0.5)" +  //
         "\n@shape: int64[2] = {" + std::to_string(s.matrix[0]) + ", " + std::to_string(s.matrix[1]) + "}" +
         "\n%i = cast(@b) {dtype = int32}\n%r = embedding(%i, @t)\n%p = multiply(%r, @s)\n%w = reshape(%p, @shape)\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string graph_of(const std::string& body, const std::string& x = "5, 48") {
  return "graph (%x: float32[" + x + "]) {\n" + body + "}";
}

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id : graph.order()) names.emplace_back(graph.node(id).op.name());
  return names;
}

using Names = std::vector<std::string>;

/// The graph after all passes, which answers as before.
Graph passed(const std::string& text, const PassOptions& options = {.disabled = {}, .verify_types = true}) {
  const Graph before = parse(text);
  Graph graph = parse(text);
  run_passes(graph, options);
  verify(graph, true);
  const std::vector<Tensor> inputs = test::inputs_for(before, 5);
  EXPECT_EQ(test::difference(evaluate_graph(before, inputs), evaluate_graph(graph, inputs)), "") << print(graph);
  return graph;
}

TEST(FourBitWeights, StayAsTheyAreInProducts) {
  const Graph graph = passed(graph_of(weights(kMatrix) + "%y = matmul(%x, %w)\nreturn %y\n"));
  EXPECT_EQ(operators(graph), Names{"weight_only_linear"}) << print(graph);
  EXPECT_EQ(test::constant_bytes(graph), 48U * 16 / 2 + 2 * 16 * sizeof(float));
}

TEST(FourBitWeights, StayAsTheyAreWhereTheyAreTransposed) {
  const Graph graph =
      passed(graph_of(weights(kTransposed) + "%y = matmul(%x, %w) {transpose_y = true}\nreturn %y\n", "2, 3, 48"));
  EXPECT_EQ(operators(graph), Names{"weight_only_linear"}) << print(graph);
}

TEST(FourBitWeights, StepsMayStandInFront) {
  const std::string steps_first = replaced(weights(kMatrix), "multiply(%r, @s)", "multiply(@s, %r)");
  const Graph graph =
      passed(graph_of(steps_first + "%y = matmul_with_flatten(%x, %w) {x_num_col_dims = 1}\nreturn %y\n", "3, 4, 12"));
  EXPECT_EQ(operators(graph), (Names{"flatten", "weight_only_linear"})) << print(graph);
}

TEST(FourBitWeights, TakeTheBiasWithThem) {
  for (const char* sum : {"add(%z, @c)", "add(@c, %z)"}) {
    const Graph graph =
        passed(graph_of(weights(kMatrix) + "@c: float32[16] = random(4)\n%z = matmul(%x, %w)\n%u = " + sum +
                        "\n%y = relu(%u)\nreturn %y\n"));
    EXPECT_EQ(operators(graph), (Names{"weight_only_linear", "relu"})) << print(graph);
  }
}

TEST(FourBitWeights, LeaveOtherSumsAlone) {
  const std::string before = weights(kMatrix) + "%z = matmul(%x, %w)\n";
  for (const char* rest :
       {"@c: float32[5, 1] = random(4)\n%y = add(%z, @c)\nreturn %y\n",
        "@c: float32[2, 5, 16] = random(4)\n%y = add(%z, @c)\nreturn %y\n",
        "@c: float32[16] = random(4)\n%y = add(%z, @c)\nreturn %y, %z\n", "%y = add(%z, %z)\nreturn %y\n"}) {
    const Graph graph = passed(graph_of(before + rest));
    EXPECT_EQ(operators(graph), (Names{"weight_only_linear", "add"})) << print(graph);
  }
}

TEST(FourBitWeights, SeveralProductsReadTheSame) {
  const Graph graph =
      passed(graph_of(weights(kMatrix) + "%y = matmul(%x, %w)\n%a = exp(%x)\n%z = matmul(%a, %w)\nreturn %y, %z\n"));
  EXPECT_EQ(operators(graph), (Names{"weight_only_linear", "exp", "weight_only_linear"})) << print(graph);
}

/// What is nearly such weights is computed once, in float32.
void expect_folded(const std::string& text) {
  const Graph graph = passed(text);
  for (const std::string& name : operators(graph)) {
    EXPECT_NE(name, "weight_only_linear") << print(graph);
    EXPECT_NE(name, "embedding") << print(graph);
    EXPECT_NE(name, "multiply") << print(graph);
  }
}

TEST(FourBitWeights, NearMissesAreBroughtToFloat32) {
  const std::string whole = weights(kMatrix);
  const std::string product = "%y = matmul(%x, %w)\nreturn %y\n";
  // Another number in the table; rows of zeros for a byte.
  expect_folded(graph_of(replaced(whole, "{-8, -8, -7, -8,", "{-8, -8, -6, -8,") + product));
  expect_folded(graph_of(replaced(whole, "embedding(%i, @t)", "embedding(%i, @t) {padding_idx = 3}") + product));
  // Steps that are infinite, or lie otherwise.
  std::string infinite = "{1e38";
  for (int i = 1; i < 32; ++i) infinite += ", 1";
  expect_folded(graph_of(replaced(whole, "random(3, 0.1, 0.5)", infinite + "}") + product, "0, 48"));
  for (const std::vector<int64_t>& steps : {std::vector<int64_t>{2, 24, 1, 1}, {1, 1, 8, 2}, {1}, {2, 24, 8, 2}}) {
    expect_folded(graph_of(weights({kMatrix.bytes, steps, kMatrix.matrix}) + product));
  }
  // Someone else who takes the weights, or what they are made of.
  expect_folded(graph_of(whole + "%y = matmul(%x, %w)\nreturn %y, %w\n"));
  expect_folded(graph_of(whole + "%y = matmul(%x, %w)\n%z = exp(%w)\nreturn %y, %z\n"));
  for (const char* value : {"%i", "%r", "%p"}) {
    expect_folded(graph_of(whole + "%y = matmul(%x, %w)\nreturn %y, " + value + "\n"));
  }
  // Groups along the other dimension; columns that are packed with others.
  expect_folded(graph_of(whole + "%y = matmul(%x, %w) {transpose_y = true}\nreturn %y\n", "5, 16"));
  expect_folded(graph_of(weights({{2, 24, 6}, {2, 1, 6, 2}, {48, 12}}) + product));
  // Another shape of what they make.
  expect_folded(graph_of(replaced(whole, "{48, 16}", "{24, 32}") + product, "5, 24"));
  // Operators that read no such weights.
  expect_folded(graph_of(whole + "%y = matmul(%w, %x)\nreturn %y\n", "16, 3"));
  expect_folded(graph_of(whole + "%y = matmul(%x, %w) {transpose_x = true}\nreturn %y\n", "48, 5"));
}

TEST(FourBitWeights, StayAsTheyAreInModelsThatRoundTheirData) {
  const Graph graph =
      passed(graph_of(weights(kMatrix) +
                      "@q: float32[1] = {2}\n%a = quantize_linear(%x, @q) {quant_axis = -1}\n"
                      "%d = dequantize_linear(%a, @q) {quant_axis = -1}\n%y = matmul(%d, %w)\nreturn %y\n"));
  EXPECT_EQ(operators(graph), (Names{"quantize_linear", "dequantize_linear", "weight_only_linear"})) << print(graph);
}

TEST(FourBitWeights, AreFoldedWithoutThePass) {
  const Graph graph = passed(graph_of(weights(kMatrix) + "%y = matmul(%x, %w)\nreturn %y\n"),
                             {.disabled = {"narrow_weights"}, .verify_types = true});
  EXPECT_EQ(operators(graph), Names{"linear"}) << print(graph);
}

}  // namespace
}  // namespace coracle::internal
