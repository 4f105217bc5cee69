// SPDX-License-Identifier: Apache-2.0
// The engine xnnpack and operators on int8, which it takes where `precision` is int8: within one step of the
// references.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "graph/text.h"
#include "run/session_results.h"
#include "run_block.h"
#include "support/engine_models.h"
#include "support/random_graph.h"
#include "xnnpack_support.h"

namespace coracle::internal::test {
namespace {

/// What stands behind the sums of a product.
struct Behind {
  const char* steps = R"("multiply_channel")";
  const char* numbers = "0, 0, 0";
  bool bias = false;
  const char* rounding = "half_to_even";
};
constexpr Behind kBehind[] = {
    {},
    {R"("multiply_channel", "relu")", "0, 0, 0, 0, 0, 0"},
    {R"("multiply_channel", "add_channel")", "0, 0, 0, 0, 0, 0", true},
    {R"("multiply_channel", "add_channel", "relu")", "0, 0, 0, 0, 0, 0, 0, 0, 0", true, "half_away_from_zero"},
    {R"("multiply_channel", "add_channel", "clip")", "0, 0, 0, 0, 0, 0, -0.4, 0.55, 0", true},
    {R"("multiply_channel", "clip", "relu")", "0, 0, 0, -0.4, 0.55, 0, 0, 0, 0", false, "half_away_from_zero"},
};

struct Geometry {
  const char* title;
  Shape x;
  Shape filter;
  const char* attributes = "";
};
const Geometry kGeometries[] = {
    {"1x1", {2, 7, 5, 6}, {11, 7, 1, 1}},
    {"1x1, one pixel", {1, 64, 1, 1}, {33, 64, 1, 1}},
    {"1x1, strides", {1, 8, 9, 6}, {5, 8, 1, 1}, "strides = [2, 3], "},
    {"3x3", {1, 5, 8, 7}, {9, 5, 3, 3}},
    {"3x3, padding", {2, 16, 8, 7}, {24, 16, 3, 3}, "paddings = [1, 1], "},
    {"3x3, one channel", {1, 1, 9, 9}, {4, 1, 3, 3}, "paddings = [1, 1], strides = [2, 2], "},
    {"3x3, uneven padding", {1, 3, 9, 8}, {8, 3, 3, 3}, "paddings = [1, 0, 2, 1], strides = [2, 2], "},
    {"3x3, SAME", {1, 3, 9, 8}, {8, 3, 3, 3}, "padding_algorithm = SAME, strides = [2, 2], "},
    {"3x3, SAME, gaps", {1, 3, 9, 8}, {8, 3, 1, 1}, "padding_algorithm = SAME, strides = [2, 2], "},
    {"3x2, dilated", {1, 4, 11, 9}, {6, 4, 3, 2}, "dilations = [2, 3], paddings = [2, 2], "},
    {"depthwise 3x3", {2, 19, 9, 8}, {19, 1, 3, 3}, "groups = 19, paddings = [1, 1], "},
    {"depthwise 5x5", {1, 16, 9, 8}, {16, 1, 5, 5}, "groups = 16, paddings = [2, 2], strides = [2, 2], "},
    {"depthwise 2x7", {1, 6, 9, 8}, {6, 1, 2, 7}, "groups = 6, paddings = [1, 3], "},
    {"two of each channel", {1, 6, 9, 8}, {12, 1, 3, 3}, "groups = 6, "},
    {"groups", {1, 12, 5, 7}, {15, 4, 3, 3}, "groups = 3, paddings = [1, 1], "},
};

/// Factors of any sign under which results fill the steps of int8 and go beyond.
std::string convolution(const Geometry& g, const Behind& behind) {
  const int64_t channels = g.filter[0];
  const double factor = 1e-4 / std::sqrt(static_cast<double>(g.filter.count(1, 4)));
  return text("graph (%x \"-1..1\": float32", g.x, ") {\n  %q = to_int8(%x)\n  @w: int8", g.filter,
              " = random(1, -127, 127)\n  @f: float32[", channels, "] = random(2, ", -factor, ", ", factor,
              ")\n  @b: float32[", channels, "] = random(3, -0.5, 0.5)\n  %y = integer_conv2d(%q, @w, [@f",
              behind.bias ? ", @b" : "", "]) {", g.attributes, "result_scale = 1, round_type = ", behind.rounding,
              ", epilogue = [", behind.steps, "], epilogue_numbers = [", behind.numbers, "]}\n  return %y\n}\n");
}

/// Products with sizes, windows, factors and biases of any magnitude.
class RandomProducts {
 public:
  explicit RandomProducts(unsigned seed) : numbers_(seed) {}

  std::string graph() {
    const int groups = between(0, 2) == 0 ? between(2, 9) : 1;
    const int inputs = between(1, 9);
    const int channels = groups * between(1, 9);
    const double most = std::pow(10, between(-8, 1));
    const double largest_bias = std::pow(10, between(-4, 3));
    const Behind& behind = kBehind[static_cast<size_t>(between(0, std::size(kBehind) - 1))];
    const std::string after = text("  @f: float32[", channels, "] = random(2, ", -most, ", ", most, ")\n  @b: float32[",
                                   channels, "] = random(3, ", -largest_bias, ", ", largest_bias, ")\n");
    const std::string epilogue =
        text("result_scale = ", std::pow(10, between(-3, 3)), ", round_type = ", behind.rounding, ", epilogue = [",
             behind.steps, "], epilogue_numbers = [", behind.numbers, "]}\n  return %y\n}\n");
    const char* const tensors = behind.bias ? "[@f, @b]" : "[@f]";
    if (between(0, 3) == 0) {
      const bool transposed = between(0, 1) == 0;
      return text("graph (%x: float32[", between(1, 9), ", ", between(1, 5), ", ", inputs, "]) {\n  %q = to_int8(%x)\n",
                  after, "  @w: int8[", transposed ? channels : inputs, ", ", transposed ? inputs : channels,
                  "] = random(1, -127, 127)\n  %y = integer_linear(%q, @w, ", tensors, ") {transpose_w = ", transposed,
                  ", ", epilogue);
    }
    return text("graph (%x: float32[", between(1, 2), ", ", groups * inputs, ", ", between(1, 12), ", ", between(1, 12),
                "]) {\n  %q = to_int8(%x)\n", after, "  @w: int8[", channels, ", ", inputs, ", ", between(1, 4), ", ",
                between(1, 4), "] = random(1, -127, 127)\n  %y = integer_conv2d(%q, @w, ", tensors, ") {strides = [",
                between(1, 3), ", ", between(1, 3), "], dilations = [", between(1, 2), ", ", between(1, 2),
                "], paddings = [", between(0, 2), ", ", between(0, 2), ", ", between(0, 2), ", ", between(0, 2),
                "], padding_algorithm = ", between(0, 4) == 0 ? "SAME" : "EXPLICIT", ", groups = ", groups, ", ",
                epilogue);
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(numbers_); }

  std::mt19937 numbers_;
};

/// A model of two convolutions of simulated integers and a product, as Paddle's tools write it.
constexpr const char* kQuantizedModel = R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @s: float32[1] = {1}
  @t: float32[1] = {4}
  @u: float32[1] = {20}
  @i: int8[8, 3, 3, 3] = random(1, -127, 127)
  @j: int8[8, 1, 3, 3] = random(2, -127, 127)
  @k: int8[6, 8, 1, 1] = random(3, -127, 127)
  @c: float32[8] = random(4, 0.3, 0.6)
  @d: float32[8] = random(5, 0.8, 1)
  @e: float32[6] = random(6, 0.5, 1)
  @b: float32[1, 8, 1, 1] = random(7)
  %w = dequantize_linear(@i, @c, _, _, _) {quant_axis = 0}
  %v = dequantize_linear(@j, @d, _, _, _) {quant_axis = 0}
  %a = dequantize_linear(@k, @e, _, _, _) {quant_axis = 0}
  %q1 = quantize_linear(%x, @s, _, _, _) {quant_axis = -1}
  %d1 = dequantize_linear(%q1, @s, _, _, _) {quant_axis = -1}
  %c1 = conv2d(%d1, %w) {paddings = [1, 1]}
  %b1 = add(%c1, @b)
  %r1 = relu(%b1)
  %q2 = quantize_linear(%r1, @t, _, _, _) {quant_axis = -1}
  %d2 = dequantize_linear(%q2, @t, _, _, _) {quant_axis = -1}
  %c2 = depthwise_conv2d(%d2, %v) {paddings = [1, 1], groups = 8}
  %r2 = relu(%c2)
  %q3 = quantize_linear(%r2, @u, _, _, _) {quant_axis = -1}
  %d3 = dequantize_linear(%q3, @u, _, _, _) {quant_axis = -1}
  %c3 = conv2d(%d3, %a)
  return %c3 "y"
})";

class XnnpackIntegers : public WithXnnpack {
 protected:
  static std::shared_ptr<const Model> model(Precision precision) {
    return model_of(kQuantizedModel, with_engines({.engines = {used_engine("xnnpack", precision)}, .min_ops = 1}));
  }

  /// The operators of a model, those that run on the engine with a star.
  static std::string operators(const Model& model) {
    std::string all;
    for (const CutNode& node : model.engine_report().nodes) {
      all.append(all.empty() ? "" : " ").append(node.op).append(node.engine.empty() ? "" : "*");
    }
    return all;
  }

  std::string refusal(const std::string& text) const {
    const Graph graph = parse(text);
    return engine_->refusal(graph, graph.node(graph.order().back()));
  }
};

TEST_F(XnnpackIntegers, ConvolutionsOfAllGeometries) {
  for (const Geometry& g : kGeometries) {
    for (const Behind& behind : kBehind) {
      SCOPED_TRACE(text(g.title, ", ", behind.steps, ", ", behind.rounding));
      const Graph graph = parse(convolution(g, behind));
      for (NodeId id : graph.order()) EXPECT_EQ(engine_->refusal(graph, graph.node(id)), "");
      const std::vector<Tensor> inputs = random_inputs(graph, 5);
      const auto compiled = compile_block(*engine_, graph, inputs, 1);
      const std::vector<Tensor> got = run_block(*compiled->make_run(), graph, inputs);
      const std::vector<Tensor> want = evaluate_graph(graph, inputs);
      expect_near(got, want);
      const std::span<const int8_t> a = got[0].values<int8_t>();
      const std::span<const int8_t> b = want[0].values<int8_t>();
      int64_t unequal = 0;
      for (size_t i = 0; i < a.size(); ++i) unequal += a[i] == b[i] ? 0 : 1;
      EXPECT_LE(unequal, 2 + want[0].count() / 20);
      EXPECT_GT(std::set<int8_t>(b.begin(), b.end()).size(), std::min<size_t>(20, a.size() / 4));
    }
  }
}

TEST_F(XnnpackIntegers, RandomProductsThatAreTaken) {
  int taken = 0;
  int refused = 0;
  for (unsigned seed = 0; seed < 2000 && !HasFailure(); ++seed) {
    const std::string program = RandomProducts(seed).graph();
    SCOPED_TRACE(text("seed ", seed, ": ", program));
    Graph graph;
    try {
      graph = parse(program);
    } catch (const Error&) {
      continue;  // the windows do not fit
    }
    if (!engine_->refusal(graph, graph.node(graph.order().back())).empty()) {
      ++refused;
      continue;
    }
    const std::vector<Tensor> inputs = random_inputs(graph, seed);
    try {
      const auto compiled = compile_block(*engine_, graph, inputs, 1);
      expect_near(run_block(*compiled->make_run(), graph, inputs), evaluate_graph(graph, inputs));
      ++taken;
    } catch (const Error& e) {
      // What does not follow from factors and biases, which are looked at before.
      EXPECT_TRUE(e.text().find("windows do not fit") != std::string::npos ||
                  e.text().find("has no elements") != std::string::npos)
          << e.text();
    }
  }
  RecordProperty("taken", taken);
  RecordProperty("refused", refused);
  EXPECT_GE(taken, 700);
  EXPECT_GE(refused, 100);
}

TEST_F(XnnpackIntegers, ChannelsWithoutSums) {
  // Factors of zero and of less than any step; biases of more than all steps.
  const Graph graph = parse(R"(graph (%x: float32[1, 4, 3, 3]) {
    %q = to_int8(%x)
    @w: int8[6, 4, 1, 1] = random(1, -127, 127)
    @f: float32[6] = {0, 1e-30, -1e-40, 0, 1e-05, -1e-05}
    @b: float32[6] = {0.3, -0.3, 0, 1e+06, -5, 0.1}
    %y = integer_conv2d(%q, @w, [@f, @b]) {result_scale = 1, epilogue = ["multiply_channel", "add_channel"], epilogue_numbers = [0, 0, 0, 0, 0, 0]}
    return %y
  })");
  const std::vector<Tensor> inputs = random_inputs(graph, 1);
  const auto compiled = compile_block(*engine_, graph, inputs, 1);
  expect_near(run_block(*compiled->make_run(), graph, inputs), evaluate_graph(graph, inputs));
}

TEST_F(XnnpackIntegers, OperandsAndResultsOfBlocksAreInt8) {
  const Graph graph = parse(R"(graph (%q: int8[2, 4, 3, 5]) {
    @w: int8[6, 4, 3, 3] = random(1, -127, 127)
    @f: float32[6] = random(2, 1e-05, 2e-05)
    %y = integer_conv2d(%q, @w, [@f]) {paddings = [1, 1], result_scale = 1, epilogue = ["multiply_channel"], epilogue_numbers = [0, 0, 0]}
    %z = transpose(%q) {perm = [3, 0, 1, 2]}
    return %y, %z, %q
  })");
  Tensor x = Tensor::make(DType::kInt8, {2, 4, 3, 5});
  for (int64_t i = 0; i < x.count(); ++i) x.data<int8_t>()[i] = static_cast<int8_t>(i * 37 % 256 - 128);
  const auto compiled = compile_block(*engine_, graph, {x}, 1);
  expect_near(run_block(*compiled->make_run(), graph, {x}), evaluate_graph(graph, {&x, 1}));
}

TEST_F(XnnpackIntegers, LargestOfWindows) {
  Tensor x = Tensor::make(DType::kInt8, {2, 19, 10, 7});
  for (int64_t i = 0; i < x.count(); ++i) x.data<int8_t>()[i] = static_cast<int8_t>(i * 37 % 256 - 128);
  for (const char* windows :
       {"strides = [2, 2], paddings = [1, 1]", "strides = [2, 2], paddings = [2, 0, 1, 0], ceil_mode = true",
        "strides = [1, 2], padding_algorithm = SAME", "global_pooling = true"}) {
    const Graph graph = parse(text(R"(graph (%q: int8[2, 19, 10, 7]) {
    @k: int64[2] = {3, 2}
    %y = pool2d(%q, @k) {)",
                                   windows, "}\n    return %y\n  }"));
    const auto compiled = compile_block(*engine_, graph, {x}, 1);
    EXPECT_TRUE(same_bits(run_block(*compiled->make_run(), graph, {x}), evaluate_graph(graph, {&x, 1}))) << windows;
  }
}

TEST_F(XnnpackIntegers, SizesSharePackedWeights) {
  const Graph graph = parse(R"(graph (%x: float32[?, 64, ?, ?]) {
    %q = to_int8(%x)
    @w: int8[256, 64, 3, 3] = random(1, -127, 127)
    @f: float32[256] = random(2, 1e-06, 2e-06)
    %y = integer_conv2d(%q, @w, [@f]) {result_scale = 1, epilogue = ["multiply_channel"], epilogue_numbers = [0, 0, 0]}
    return %y
  })");
  constexpr size_t kBytes = size_t{256} * 64 * 9;
  const auto compiled = [&](const Shape& x) { return compile_block(*engine_, graph, {random_tensor(x, 1)}, 1); };
  const auto first = compiled({1, 64, 5, 7});
  EXPECT_GE(first->bytes(), kBytes);
  EXPECT_LT(first->bytes(), kBytes + kBytes / 10);
  const auto second = compiled({2, 64, 8, 3});
  EXPECT_LT(second->bytes(), kBytes / 100);
  const std::vector<Tensor> x = {random_tensor({2, 64, 8, 3}, 2)};
  expect_near(run_block(*second->make_run(), graph, x), evaluate_graph(graph, x));
}

TEST_F(XnnpackIntegers, RunModelsWhereTheyAreAllowed) {
  const auto native = model_of(kQuantizedModel);
  const auto integers = model(Precision::kInt8);
  // What gives float32 stays native.
  EXPECT_EQ(operators(*integers), "to_int8* integer_conv2d* integer_conv2d* integer_conv2d");
  for (const Shape& shape : {Shape{1, 3, 9, 8}, Shape{2, 3, 5, 16}, Shape{1, 3, 9, 8}}) {
    const std::vector<Tensor> x = {random_tensor(shape, 3)};
    const std::vector<double> want = run_fresh(native, x)[0].doubles();
    const std::vector<double> got = run_fresh(integers, x)[0].doubles();
    double largest = 0;
    for (const double v : want) largest = std::max(largest, std::abs(v));
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 0.02 * largest) << i;
  }
  // Other precisions keep to the simulation.
  const auto simulated = model(Precision::kDefault);
  EXPECT_EQ(operators(*simulated).find("int8"), std::string::npos) << operators(*simulated);
  EXPECT_EQ(operators(*simulated).find("integer"), std::string::npos) << operators(*simulated);
}

TEST_F(XnnpackIntegers, OfSavedGraphsRunNativelyUnlessTheyAreAllowed) {
  constexpr const char* kInt8Graph = R"(graph (%x "x": float32[1, 4, 3, 3]) {
    %q = to_int8(%x)
    %t = transpose(%q) {perm = [0, 1, 3, 2]}
    return %t "y"
  })";
  const auto with = [&](Precision precision) {
    return model_of(kInt8Graph, with_engines({.engines = {used_engine("xnnpack", precision)}, .min_ops = 1}));
  };
  EXPECT_EQ(operators(*with(Precision::kInt8)), "to_int8* transpose*");
  const auto refused = with(Precision::kDefault);
  EXPECT_EQ(operators(*refused), "to_int8 transpose");
}

TEST_F(XnnpackIntegers, Refuses) {
  const auto product = [](const char* weights, const char* tensors, const char* attributes) {
    return text("graph (%q: int8[1, 2, 3, 3], %v: int8[3, 2, 1, 1]) {\n  @w: int8[3, 2, 1, 1] = ", weights,
                "\n  @f: float32[3] = {1e-3, 2e-3, 3e-3}\n  @g: float32[3] = {10, 10, 10}\n"
                "  @b: float32[3] = {0.1, 0.2, 0.3}\n  @h: float32[3] = {0.05, 0.05, 0.05}\n  %y = integer_conv2d(%q, ",
                tensors, ") {", attributes, "}\n  return %y\n}\n");
  };
  constexpr const char* kWeights = "{1, 2, 3, 4, 5, 6}";
  constexpr const char* kPlain = R"(result_scale = 1, epilogue = ["multiply_channel"], epilogue_numbers = [0, 0, 0])";
  constexpr const char* kBiased =
      R"(result_scale = 1, epilogue = ["multiply_channel", "add_channel"], epilogue_numbers = [0, 0, 0, 0, 0, 0])";
  EXPECT_EQ(refusal(product(kWeights, "@w, [@f]", kPlain)), "");
  EXPECT_EQ(refusal(product(kWeights, "@w, [@f, @b]", kBiased)), "");
  const std::pair<std::string, const char*> refused[] = {
      {product(kWeights, "@w, [@f]", R"(epilogue = ["multiply_channel"], epilogue_numbers = [0, 0, 0])"),
       "a result is not int8"},
      {product(kWeights, "@w, []", "result_scale = 1"), "does not begin with multiply_channel"},
      {product(
           kWeights, "@w, [@f]",
           R"(result_scale = 1, epilogue = ["multiply_channel", "hardswish"], epilogue_numbers = [0, 0, 0, 3, 6, 6])"),
       "its epilogue has hardswish, expected relu or clip"},
      {product(kWeights, "@w, [@f]",
               R"(result_scale = 1, epilogue = ["multiply_channel", "clip"], epilogue_numbers = [0, 0, 0, 2, 3, 0])"),
       "the bounds of its results hold one integer"},
      {product(kWeights, "%v, [@f]", kPlain), "filter is not constant"},
      {product("{1, 2, -128, 4, 5, 6}", "@w, [@f]", kPlain), "filter has an element of -128"},
      {product(kWeights, "@w, [@g]", kPlain), "expected less than 256"},
      {product(kWeights, "@w, [@g, @b]", kBiased), "expected less than 256"},
      {product(kWeights, "@w, [@b, @h]", kBiased), "its bias lies between"},
  };
  for (const auto& [graph, reason] : refused) {
    EXPECT_NE(refusal(graph).find(reason), std::string::npos) << graph << "\n" << refusal(graph);
  }
  EXPECT_NE(refusal("graph (%x: float32[3]) {\n  %y = to_int8(%x) {scale = 1e-38}\n  return %y\n}").find("too small"),
            std::string::npos);
  EXPECT_EQ(refusal("graph (%x: int8[1, 2, 3, 3]) {\n  @k: int64[2] = {2, 2}\n"
                    "  %y = pool2d(%x, @k) {pooling_type = avg}\n  return %y\n}"),
            "it is an average of int8");
}

}  // namespace
}  // namespace coracle::internal::test
