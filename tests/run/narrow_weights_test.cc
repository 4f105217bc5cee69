// SPDX-License-Identifier: Apache-2.0
// Weights in 16 bits that stay so give the same bits as weights that were brought to float32.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "devices/cpu/isa.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::random_tensor;
using test::run_fresh;
using test::same_bits;

/// Products, pointwise and other convolutions, with full and other panels.
constexpr const char* kWithSomeNarrow = R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @w1: TYPE[40, 3, 3, 3] = random(1, -0.3, 0.3)
  @w2: TYPE[64, 40, 1, 1] = random(2, -0.3, 0.3)
  @w3: TYPE[72, 64, 3, 3] = random(3, -0.1, 0.1)
  @w4: TYPE[72, 50] = random(4, -0.3, 0.3)
  @w5: TYPE[37, 50] = random(5, -0.3, 0.3)
  @b: float32[40] = random(6)
  @c: float32[50] = random(7)
  @axes: int64[2] = {2, 3}
  @shape: int64[4] = {1, 40, 1, 1}
  %f1 = cast(@w1) {dtype = float32}
  %f2 = cast(@w2) {dtype = float32}
  %f3 = cast(@w3) {dtype = float32}
  %f4 = cast(@w4) {dtype = float32}
  %f5 = cast(@w5) {dtype = float32}
  %1 = conv2d(%x, %f1) {strides = [2, 2], paddings = [1, 1]}
  %2 = reshape(@b, @shape)
  %3 = add(%1, %2)
  %4 = relu(%3)
  %5 = conv2d(%4, %f2)
  %6 = conv2d(%5, %f3) {paddings = [1, 1]}
  %7 = mean(%6, @axes)
  %8 = matmul(%7, %f4)
  %9 = add(%8, @c)
  %10 = gelu(%9)
  %11 = matmul(%10, %f5) {transpose_y = true}
  return %11 "y", %5 "image"
})";

/// The same types throughout.
constexpr const char* kHalf = R"(graph (%ids "ids": int64[?, ?]) {
  @table: TYPE[19, 64] = random(1)
  @w: TYPE[64, 100] = random(2, -0.2, 0.2)
  @b: TYPE[100] = random(3)
  @v: TYPE[100, 64] = random(4, -0.2, 0.2)
  @scale: TYPE[64] = random(5)
  @shift: TYPE[64] = random(6)
  %1 = embedding(%ids, @table)
  %2 = matmul(%1, @w)
  %3 = add(%2, @b)
  %4 = gelu(%3)
  %5 = matmul(%4, @v)
  %6 = add(%5, %1)
  %7 = layer_norm(%6, @scale, @shift) {begin_norm_axis = 2}
  %8 = matmul(%7, @table) {transpose_y = true}
  return %8 "y"
})";

std::string of_type(const char* graph, const char* type) {
  std::string text = graph;
  for (size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE")) text.replace(at, 4, type);
  return text;
}

std::vector<cpu::Isa> isas() {
  std::vector<cpu::Isa> out;
  for (const cpu::Isa isa : {cpu::Isa::kNeon, cpu::Isa::kSse2, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
    if (cpu::runs_on(isa, cpu::detected_isa())) out.push_back(isa);
  }
  return out;
}

ModelOptions narrow_options(cpu::Isa isa, std::vector<std::string> left_out = {}) {
  ModelOptions options;
  options.kernels.capability = isa;
  options.kernels.precision = Precision::kStrict;
  options.passes.disabled = std::move(left_out);
  return options;
}

int64_t kernels_of(const std::shared_ptr<const Model>& model, const std::vector<Tensor>& inputs,
                   std::string_view part) {
  Session session(model, {.threads = 1});
  for (size_t i = 0; i < inputs.size(); ++i) session.set_input(i, inputs[i]);
  const auto planned = session.explain();
  return std::count_if(planned->steps.begin(), planned->steps.end(), [&](const Step& step) {
    return std::string_view(step.kernel->name).find(part) != std::string_view::npos;
  });
}

Tensor ids(const Shape& shape) {
  Tensor t = Tensor::make(DType::kInt64, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<int64_t>()[i] = i * 7 % 19;
  return t;
}

TEST(NarrowWeights, HaveTheBitsOfWidenedOnes) {
  for (const char* type : {"float16", "bfloat16"}) {
    const std::string text = of_type(kWithSomeNarrow, type);
    for (const cpu::Isa isa : isas()) {
      const auto narrow = model_of(text, narrow_options(isa));
      const auto wide = model_of(text, narrow_options(isa, {"narrow_weights"}));
      for (const Shape& shape : {Shape{1, 3, 9, 11}, Shape{5, 3, 8, 8}, Shape{40, 3, 5, 6}, Shape{1, 3, 40, 30}}) {
        const std::vector<Tensor> x = {random_tensor(shape, 1)};
        // Few pixels share the pointwise filter, or it is packed in float32 as the others are.
        const int64_t pixels = (shape[2] + 1) / 2 * ((shape[3] + 1) / 2);
        EXPECT_EQ(kernels_of(narrow, x, "linear.narrow."), 2);
        EXPECT_EQ(kernels_of(narrow, x, "conv2d.narrow."), pixels <= 16 ? 1 : 0);
        EXPECT_EQ(kernels_of(wide, x, ".narrow."), 0);
        for (const int threads : {1, 2, 3}) {
          EXPECT_TRUE(same_bits(run_fresh(narrow, x, {.threads = threads}), run_fresh(wide, x, {.threads = 1})))
              << type << " " << name_of(isa) << " " << coracle::internal::text(shape) << " " << threads;
        }
      }
    }
  }
}

/// How an image is computed does not depend on how many there are, whichever kernel few pixels get.
TEST(NarrowWeights, FiltersDoNotDependOnTheBatch) {
  const std::string text = of_type(kWithSomeNarrow, "float16");
  for (const Shape& image : {Shape{3, 8, 8}, Shape{3, 9, 12}, Shape{3, 2, 1}}) {
    const auto model = model_of(text, {});
    const Tensor many = random_tensor(Shape{7, image[0], image[1], image[2]}, 1);
    const Tensor last = Tensor::of<float>(Shape{1, image[0], image[1], image[2]},
                                          {many.data<float>() + 6 * image.count(), static_cast<size_t>(image.count())});
    const Tensor all = run_fresh(model, {many})[1];
    const Tensor alone = run_fresh(model, {last})[1];
    for (int64_t i = 0; i < alone.count(); ++i) {
      ASSERT_EQ(all.data<float>()[6 * alone.count() + i], alone.data<float>()[i]) << i;
    }
  }
}

/// A normalisation behind a filter goes into it, which makes it float32; weights of products stay in 16 bits.
constexpr const char* kNormalized = R"(graph (%x "x": float32[1, 3, 9, 11]) {
  @w: float16[40, 3, 3, 3] = random(1, -0.3, 0.3)
  @v: float16[40, 24] = random(2, -0.3, 0.3)
  @scale: float32[40] = random(3, 0.5, 1.5)
  @shift: float32[40] = random(4)
  @mean: float32[40] = random(5)
  @variance: float32[40] = random(6, 0.5, 1.5)
  @factors: float32[24] = random(7, 0.5, 1.5)
  @axes: int64[2] = {2, 3}
  %f = cast(@w) {dtype = float32}
  %g = cast(@v) {dtype = float32}
  %1 = conv2d(%x, %f) {paddings = [1, 1]}
  %2 = batch_norm(%1, @mean, @variance, @scale, @shift)
  %3 = mean(%2, @axes)
  %4 = matmul(%3, %g)
  %5 = multiply(%4, @factors)
  return %5 "y"
})";

TEST(NarrowWeights, OfFiltersTakeNormalizationsIn) {
  const std::vector<Tensor> x = {random_tensor(Shape{1, 3, 9, 11}, 1)};
  const auto narrow = model_of(kNormalized, narrow_options(cpu::detected_isa()));
  const auto wide = model_of(kNormalized, narrow_options(cpu::detected_isa(), {"narrow_weights"}));
  const auto unfolded = model_of(kNormalized, narrow_options(cpu::detected_isa(), {"fold_epilogue"}));
  EXPECT_EQ(kernels_of(narrow, x, "linear.narrow."), 1);
  const std::vector<Tensor> got = run_fresh(narrow, x);
  const std::vector<Tensor> others[] = {run_fresh(wide, x), run_fresh(unfolded, x)};
  for (const std::vector<Tensor>& other : others) {
    for (int64_t i = 0; i < got[0].count(); ++i) EXPECT_NEAR(got[0].number(i), other[0].number(i), 2e-5);
  }
  size_t multiplied = 0;
  const Graph& graph = narrow->program()->graph();
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const auto* conv = node.op.as<Conv2dFused>();
    if (conv == nullptr) continue;
    EXPECT_EQ(graph.fact(node.input(1)).dtype, DType::kFloat32);
    for (const EpilogueStep& step : conv->epilogue) multiplied += step.kind == EpilogueKind::kMultiplyChannel ? 1 : 0;
  }
  EXPECT_EQ(multiplied, 0U);
}

TEST(NarrowWeights, OfHalfModelsHaveTheBitsOfWidenedOnes) {
  for (const char* type : {"float16", "bfloat16"}) {
    const std::string text = of_type(kHalf, type);
    for (const cpu::Isa isa : isas()) {
      const auto narrow = model_of(text, narrow_options(isa));
      const auto wide = model_of(text, narrow_options(isa, {"narrow_weights"}));
      for (const Shape& shape : {Shape{1, 1}, Shape{2, 7}, Shape{3, 30}}) {
        const std::vector<Tensor> x = {ids(shape)};
        EXPECT_EQ(kernels_of(narrow, x, ".narrow."), 3);
        EXPECT_EQ(kernels_of(narrow, x, "reference"), 0);
        const std::vector<Tensor> got = run_fresh(narrow, x);
        EXPECT_TRUE(same_bits(got, run_fresh(wide, x)))
            << type << " " << name_of(isa) << " " << coracle::internal::text(shape);
        EXPECT_EQ(got[0].dtype(), type == std::string("float16") ? DType::kFloat16 : DType::kBfloat16);
      }
    }
  }
}

TEST(NarrowWeights, OfHalfModelsArePackedInSixteenBits) {
  const std::vector<Tensor> x = {ids({2, 7})};
  const auto narrow = model_of(of_type(kHalf, "float16"), narrow_options(cpu::detected_isa()));
  const auto wide = model_of(of_type(kHalf, "float16"), narrow_options(cpu::detected_isa(), {"narrow_weights"}));
  run_fresh(narrow, x);
  run_fresh(wide, x);
  // The columns beyond full panels are few.
  EXPECT_LE(static_cast<double>(narrow->program()->packed().bytes()),
            0.65 * static_cast<double>(wide->program()->packed().bytes()));
}

/// What a quantiser of weights alone writes: integers and their scales behind constants.
constexpr const char* kIntegers = R"(graph (%x "x": float32[?, 64]) {
  @w1: int8[64, 200] = random(1, -127, 127)
  @s1: float32[200] = random(2, 0.5, 1.5)
  @b1: float32[200] = random(3)
  @w2: int8[48, 200] = random(4, -127, 127)
  @s2: float32[1] = {0.25}
  %f1 = dequantize_linear(@w1, @s1) {quant_axis = 1}
  %f2 = dequantize_linear(@w2, @s2) {quant_axis = -1}
  %1 = matmul(%x, %f1)
  %2 = add(%1, @b1)
  %3 = relu(%2)
  %4 = matmul(%3, %f2) {transpose_y = true}
  return %4 "y"
})";

TEST(NarrowWeights, OfIntegersAreWithinRoundingOfWidenedOnes) {
  for (const cpu::Isa isa : isas()) {
    const auto narrow = model_of(kIntegers, narrow_options(isa));
    const auto wide = model_of(kIntegers, narrow_options(isa, {"narrow_weights"}));
    for (const int64_t rows : {1, 5, 16, 17, 90}) {
      const std::vector<Tensor> x = {random_tensor(Shape{rows, 64}, 1)};
      EXPECT_EQ(kernels_of(narrow, x, "linear.narrow."), 2);
      const std::vector<Tensor> got = run_fresh(narrow, x);
      const std::vector<Tensor> want = run_fresh(wide, x);
      double most = 0;
      for (int64_t i = 0; i < want[0].count(); ++i) most = std::max(most, std::fabs(want[0].number(i)));
      for (int64_t i = 0; i < want[0].count(); ++i) EXPECT_NEAR(got[0].number(i), want[0].number(i), 1e-5 * most);
      EXPECT_TRUE(same_bits(run_fresh(narrow, x, {.threads = 3}), got));
    }
    // A row does not depend on the others.
    const Tensor many = random_tensor(Shape{90, 64}, 1);
    const Tensor one = Tensor::of<float>({1, 64}, {many.data<float>() + 89 * 64, 64});
    const Tensor all = run_fresh(narrow, {many})[0];
    const Tensor alone = run_fresh(narrow, {one})[0];
    for (int64_t i = 0; i < 48; ++i) EXPECT_EQ(all.data<float>()[89 * 48 + i], alone.data<float>()[i]);
  }
}

}  // namespace
}  // namespace coracle::internal
