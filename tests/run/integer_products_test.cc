// SPDX-License-Identifier: Apache-2.0
// Models that simulate integers answer the same with and without them. All steps are powers of two and all sums small,
// so that the simulation rounds nothing, and bits are compared.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "devices/cpu/isa.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::random_tensor;
using test::run_fresh;
using test::same_bits;

/// The operators of a model.
std::vector<std::string> operators(const Model& model) {
  std::vector<std::string> names;
  const Graph& graph = model.program()->graph();
  for (const NodeId id : graph.order()) names.emplace_back(graph.node(id).op.name());
  return names;
}

void check(const std::string& program, const std::vector<Shape>& shapes, const std::vector<std::string>& expected) {
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) inputs.push_back(random_tensor(shape, static_cast<unsigned>(inputs.size()) + 1));
  for (const cpu::Isa isa : {cpu::Isa::kNeon, cpu::Isa::kSse2, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
    if (!cpu::runs_on(isa, cpu::detected_isa())) continue;
    ModelOptions options;
    options.kernels.capability = isa;
    const auto integers = model_of(program, options);
    EXPECT_EQ(operators(*integers), expected);
    options.passes.disabled = {"integer_regions"};
    const std::vector<Tensor> simulated = run_fresh(model_of(program, options), inputs, {.threads = 1});
    for (const int threads : {1, 3}) {
      EXPECT_TRUE(same_bits(run_fresh(integers, inputs, {.threads = threads}), simulated))
          << name_of(isa) << " " << threads;
    }
  }
}

TEST(IntegerProducts, GroupsOfSeveralChannels) {
  const std::string program = R"(graph (%x "x": float32[?, 12, ?, ?]) {
  @s: float32[1] = {0.9921875}
  @t: float32[1] = {127}
  @i: int8[18, 4, 3, 3] = random(1, -127, 127)
  @j: int8[36, 3, 1, 1] = random(2, -127, 127)
  %w = dequantize_linear(@i, @t, _, _, _) {quant_axis = -1}
  %v = dequantize_linear(@j, @t, _, _, _) {quant_axis = -1}
  %q = quantize_linear(%x, @s, _, _, _) {quant_axis = -1}
  %d = dequantize_linear(%q, @s, _, _, _) {quant_axis = -1}
  %y = conv2d(%d, %w) {paddings = [1, 1], groups = 3}
  %a = relu(%y)
  %r = quantize_linear(%a, @t, _, _, _) {quant_axis = -1}
  %e = dequantize_linear(%r, @t, _, _, _) {quant_axis = -1}
  %z = conv2d(%e, %v) {groups = 6}
  return %z "z"
})";
  for (const Shape& shape : {Shape{1, 12, 1, 1}, Shape{2, 12, 9, 7}}) {
    check(program, {shape}, {"to_int8", "integer_conv2d", "integer_conv2d"});
  }
}

TEST(IntegerProducts, TransposedConvolutions) {
  const std::string program = R"(graph (%x "x": float32[?, 12, ?, ?]) {
  @s: float32[1] = {0.9921875}
  @t: float32[1] = {127}
  @i: int8[12, 10, 2, 2] = random(1, -127, 127)
  @j: int8[10, 1, 2, 2] = random(2, -127, 127)
  @b: float32[1, 10, 1, 1] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10}
  %w = dequantize_linear(@i, @t, _, _, _) {quant_axis = -1}
  %v = dequantize_linear(@j, @t, _, _, _) {quant_axis = -1}
  %q = quantize_linear(%x, @s, _, _, _) {quant_axis = -1}
  %d = dequantize_linear(%q, @s, _, _, _) {quant_axis = -1}
  %y = conv2d_transpose(%d, %w) {strides = [2, 2]}
  %c = add(%y, @b)
  %a = relu(%c)
  %r = quantize_linear(%a, @t, _, _, _) {quant_axis = -1}
  %e = dequantize_linear(%r, @t, _, _, _) {quant_axis = -1}
  %z = conv2d_transpose(%e, %v) {strides = [2, 2]}
  return %z "z"
})";
  for (const Shape& shape : {Shape{1, 12, 1, 1}, Shape{2, 12, 5, 8}, Shape{1, 12, 3, 7}}) {
    check(program, {shape}, {"to_int8", "integer_conv2d", "integer_conv2d"});
  }
}

TEST(IntegerProducts, Residuals) {
  const std::string program = R"(graph (%x "x": float32[?, 20, ?, ?]) {
  @s: float32[1] = {0.9921875}
  @t: float32[1] = {127}
  @i: int8[20, 20, 1, 1] = random(1, -127, 127)
  @j: int8[20, 1, 3, 3] = random(2, -127, 127)
  @k: int8[20, 20, 3, 3] = random(3, -3, 3)
  %w = dequantize_linear(@i, @t, _, _, _) {quant_axis = -1}
  %v = dequantize_linear(@j, @t, _, _, _) {quant_axis = -1}
  %u = dequantize_linear(@k, @t, _, _, _) {quant_axis = -1}
  %q = quantize_linear(%x, @s, _, _, _) {quant_axis = -1}
  %d = dequantize_linear(%q, @s, _, _, _) {quant_axis = -1}
  %y = conv2d(%d, %w)
  %a = add(%d, %y)
  %b = relu(%a)
  %r = quantize_linear(%b, @t, _, _, _) {quant_axis = -1}
  %e = dequantize_linear(%r, @t, _, _, _) {quant_axis = -1}
  %z = conv2d(%e, %v) {paddings = [1, 1], groups = 20}
  %c = add(%z, %e)
  %h = quantize_linear(%c, @t, _, _, _) {quant_axis = -1}
  %f = dequantize_linear(%h, @t, _, _, _) {quant_axis = -1}
  %m = conv2d(%f, %u) {paddings = [1, 1]}
  %n = add(%m, %f)
  return %n "n"
})";
  for (const Shape& shape : {Shape{1, 20, 1, 1}, Shape{2, 20, 9, 7}, Shape{1, 20, 16, 17}}) {
    check(program, {shape}, {"to_int8", "integer_conv2d", "integer_conv2d", "integer_conv2d"});
  }
}

TEST(IntegerProducts, ComputedMatrices) {
  const std::string attention =
      R"(graph (%q "q": float32[?, ?, 2, 9], %k "k": float32[?, ?, 2, 9], %v "v": float32[?, 2, ?, 5]) {
  @s: float32[1] = {0.9921875}
  @t: float32[1] = {127}
  %a = transpose(%q) {perm = [0, 2, 1, 3]}
  %b = quantize_linear(%a, @s, _, _, _) {quant_axis = -1}
  %c = dequantize_linear(%b, @s, _, _, _) {quant_axis = -1}
  %d = quantize_linear(%k, @s, _, _, _) {quant_axis = -1}
  %e = dequantize_linear(%d, @s, _, _, _) {quant_axis = -1}
  %f = transpose(%e) {perm = [0, 2, 1, 3]}
  %g = matmul(%c, %f) {transpose_y = true}
  %h = quantize_linear(%g, @t, _, _, _) {quant_axis = -1}
  %i = dequantize_linear(%h, @t, _, _, _) {quant_axis = -1}
  %j = quantize_linear(%v, @s, _, _, _) {quant_axis = -1}
  %l = dequantize_linear(%j, @s, _, _, _) {quant_axis = -1}
  %m = matmul(%i, %l)
  return %m "m"
})";
  const std::vector<std::string> operators = {"to_int8",        "transpose", "to_int8",       "transpose",
                                              "integer_linear", "to_int8",   "integer_linear"};
  for (const int64_t tokens : {1, 2, 17}) {
    check(attention, {{2, 3, 2, 9}, {2, tokens, 2, 9}, {2, 2, tokens, 5}}, operators);
  }
}

TEST(IntegerProducts, TransposedAndBroadcastMatrices) {
  const std::string program = R"(graph (%x "x": float32[?, ?, ?], %y "y": float32[?, ?]) {
  @s: float32[1] = {0.9921875}
  %a = quantize_linear(%x, @s, _, _, _) {quant_axis = -1}
  %b = dequantize_linear(%a, @s, _, _, _) {quant_axis = -1}
  %c = quantize_linear(%y, @s, _, _, _) {quant_axis = -1}
  %d = dequantize_linear(%c, @s, _, _, _) {quant_axis = -1}
  %z = matmul(%b, %d) {transpose_x = true}
  %w = matmul(%b, %b) {transpose_y = true}
  return %z "z", %w "w"
})";
  const std::vector<std::string> operators = {"to_int8", "to_int8", "transpose", "integer_linear", "integer_linear"};
  check(program, {{3, 7, 5}, {7, 18}}, operators);
  check(program, {{1, 1, 4}, {1, 1}}, operators);
}

}  // namespace
}  // namespace coracle::internal
