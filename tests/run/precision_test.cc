// SPDX-License-Identifier: Apache-2.0
// ModelOptions::kernels.precision, on matrix tiles that are emulated where the machine has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "devices/cpu/gemm_plan.h"
#include "devices/cpu/processor.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::random_tensor;
using test::run_fresh;
using test::same_bits;

/// Convolutions of all kinds that tiles take, a product, attention and a product of computed matrices.
const char* const kProducts = R"(graph (%x "x": float32[?, 16, ?, ?]) {
  @w1: float32[48, 16, 3, 3] = random(1, -0.1, 0.1)
  @b1: float32[48] = random(2)
  @w2: float32[48, 48, 3, 3] = random(3, -0.05, 0.05)
  @w3: float32[64, 48, 1, 1] = random(4, -0.2, 0.2)
  @w4: float32[64, 32, 2, 2] = random(5, -0.2, 0.2)
  @linear: float32[32, 40] = random(6, -0.3, 0.3)
  @bias: float32[40] = random(7)
  @shape: int64[3] = {0, 32, -1}
  %1 = conv2d(%x, @w1) {paddings = [1, 1], strides = [2, 2]}
  %2 = relu(%1)
  %3 = conv2d(%2, @w2) {paddings = [1, 1]}
  %4 = add(%3, %2)
  %5 = conv2d(%4, @w3)
  %6 = conv2d_transpose(%5, @w4) {strides = [2, 2]}
  %7 = reshape(%6, @shape)
  %8 = transpose(%7) {perm = [0, 2, 1]}
  %9 = matmul(%8, @linear)
  %10 = add(%9, @bias)
  %11 = attention(%10, %10, %10) {scale = 0.1}
  %12 = matmul(%11, %11) {transpose_y = true}
  return %12 "y", %6 "image"
})";

std::shared_ptr<const Model> products_with(Precision precision) {
  ModelOptions options;
  options.kernels.precision = precision;
  options.kernels.emulates_modes = true;
  options.kernels.disabled = {"cost"};  // tiles wherever they fit
  return model_of(kProducts, options);
}

/// Kernels of a plan whose names contain `part`.
int64_t kernels_with(const std::shared_ptr<const Model>& model, const Tensor& x, std::string_view part) {
  Session session(model, {.threads = 1});
  session.set_input(0, x);
  const auto planned = session.explain();
  return std::count_if(planned->steps.begin(), planned->steps.end(), [&](const Step& step) {
    return std::string_view(step.kernel->name).find(part) != std::string_view::npos;
  });
}

/// The largest difference, relative to the largest result.
double difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  double error = 0;
  for (int64_t i = 0; i < a.count(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(b.data<float>()[i])));
    error =
        std::max(error, std::fabs(static_cast<double>(a.data<float>()[i]) - static_cast<double>(b.data<float>()[i])));
  }
  return error / largest;
}

TEST(Precision, ChoosesTheKernels) {
  const Tensor x = random_tensor({1, 16, 52, 52}, 1);
  EXPECT_EQ(kernels_with(products_with(Precision::kStrict), x, ".tiles"), 0);
  constexpr int64_t kProducts = 7;
  EXPECT_EQ(kernels_with(products_with(Precision::kDefault), x, ".tiles_x6"), kProducts);
  EXPECT_EQ(kernels_with(products_with(Precision::kHigh), x, ".tiles_x3"), kProducts);
  // Products of pairs in vectors leave what is narrow in float32.
  const bool by_dots = cpu::is_by_dots(cpu::ComputeMode::kBf16);
  EXPECT_EQ(kernels_with(products_with(Precision::kBf16), x, ".tiles_bf16"), by_dots ? 1 : kProducts);
  EXPECT_EQ(kernels_with(products_with(Precision::kDefault), x, ".winograd_4x4.tiles_x6"), 1);
  EXPECT_EQ(kernels_with(products_with(Precision::kHigh), x, ".winograd"), 0)
      << "the transformations would enlarge errors";
}

TEST(Precision, ErrorsGrowStepByStep) {
  const Tensor x = random_tensor({2, 16, 32, 40}, 1);
  const std::vector<Tensor> strict = run_fresh(products_with(Precision::kStrict), {x});
  const std::vector<Tensor> exact = run_fresh(products_with(Precision::kDefault), {x});
  const std::vector<Tensor> high = run_fresh(products_with(Precision::kHigh), {x});
  const std::vector<Tensor> bf16 = run_fresh(products_with(Precision::kBf16), {x});
  for (size_t i = 0; i < strict.size(); ++i) {
    EXPECT_LT(difference(exact[i], strict[i]), 1e-5) << i;
    EXPECT_LT(difference(high[i], strict[i]), 2e-4) << i;
    EXPECT_GT(difference(high[i], strict[i]), difference(exact[i], strict[i])) << i;
    EXPECT_LT(difference(bf16[i], strict[i]), 5e-2) << i;
    EXPECT_GT(difference(bf16[i], strict[i]), difference(high[i], strict[i])) << i;
  }
}

class PrecisionDeterminism : public testing::TestWithParam<Precision> {};

TEST_P(PrecisionDeterminism, SameBitsWithAnyThreadsAndBatchMates) {
  const auto model = products_with(GetParam());
  constexpr int64_t kItem = 16 * 29 * 36;
  const Tensor batch = random_tensor({3, 16, 29, 36}, 2);
  const std::vector<Tensor> together = run_fresh(model, {batch}, {.threads = 1});
  for (int threads : {2, 3})
    EXPECT_TRUE(same_bits(run_fresh(model, {batch}, {.threads = threads}), together)) << threads;
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor one = Tensor::borrow(DType::kFloat32, {1, 16, 29, 36}, batch.data<float>() + i * kItem);
    const std::vector<Tensor> alone = run_fresh(model, {one}, {.threads = 2});
    for (size_t o = 0; o < alone.size(); ++o) {
      const float* mine = together[o].data<float>() + i * alone[o].count();
      EXPECT_EQ(std::memcmp(alone[o].raw(), mine, alone[o].bytes()), 0) << "item " << i << " of result " << o;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, PrecisionDeterminism,
                         testing::Values(Precision::kStrict, Precision::kDefault, Precision::kHigh, Precision::kBf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(Precision, NamesAreThoseOfTheInterface) {
  for (Precision p : {Precision::kStrict, Precision::kDefault, Precision::kHigh, Precision::kBf16}) {
    EXPECT_EQ(precision_of(name_of(p)), p);
  }
  EXPECT_FALSE(precision_of("fp32").has_value());
}

}  // namespace
}  // namespace coracle::internal
