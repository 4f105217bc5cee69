// SPDX-License-Identifier: Apache-2.0
// Every call of cuBLASLt may fail: kernels compute what it cannot while planning, and a run says what failed.
#include "devices/gpu/on_device/products.h"

#include <bit>

#include "devices/cuda/cublaslt.h"
#include "devices/cuda/faults/graphs.h"
#include "devices/cuda/faults/open_stand_in.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of its codes
using gpu::Product;

class CudaProducts : public Products<OpenStandIn> {};

/// Axes that go on in one step are one batch; of others there is a call for each index.
TEST_F(CudaProducts, BatchesAreOneCallWhereTheyCanBe) {
  struct Case {
    std::vector<gpu::Matrices::Axis> batch;
    int64_t calls;
  };
  const Case cases[] = {{{{2, 45, 60}, {3, 15, 20}}, 1},
                        {{{1, 0, 0}, {3, 15, 20}}, 1},
                        {{{2, 0, 60}, {3, 0, 20}}, 1},
                        {{{2, 0, 60}, {3, 15, 20}}, 2},
                        {{{2, 0, 20}, {2, 15, 0}, {2, 30, 0}}, 4}};
  for (const Case& c : cases) {
    Product product = plain(3, 4, 5);
    product.matrices.batch = c.batch;
    const int64_t before = calls_("cublasLtMatmul");
    run(product, 96, {numbers(90, 1), numbers(120, 2)});
    EXPECT_EQ(error_, "");
    EXPECT_EQ(calls_("cublasLtMatmul") - before, c.calls);
  }
}

/// The bits that a number keeps; the others are zero.
float kept(float x, unsigned bits) {
  const unsigned dropped = 24 - bits;
  auto raw = std::bit_cast<uint32_t>(x) + (1U << (dropped - 1));
  return std::bit_cast<float>(raw >> dropped << dropped);
}

TEST_F(CudaProducts, OperandsAreRoundedWhereThePrecisionAllowsIt) {
  Product product = plain(3, 4, 5);
  const std::vector<float> a = numbers(15, 1);
  const std::vector<float> b = numbers(20, 2);
  const std::vector<float> exact = run(product, 12, {a, b});
  for (const Precision precision : {Precision::kStrict, Precision::kDefault, Precision::kInt8, Precision::kHigh}) {
    product.precision = precision;
    EXPECT_EQ(run(product, 12, {a, b}), exact) << name_of(precision);
  }
  for (const auto& [precision, bits] : {std::pair(Precision::kTf32, 11U), std::pair(Precision::kBf16, 8U)}) {
    std::vector<float> rounded_a;
    std::vector<float> rounded_b;
    for (const float x : a) rounded_a.push_back(kept(x, bits));
    for (const float x : b) rounded_b.push_back(kept(x, bits));
    product.precision = Precision::kStrict;
    const std::vector<float> expected = run(product, 12, {rounded_a, rounded_b});
    EXPECT_NE(expected, exact);
    product.precision = precision;
    EXPECT_EQ(run(product, 12, {a, b}), expected) << name_of(precision);
  }
}

/// Of the root mean square.
double error_of(const Tensor& result, const Tensor& expected) {
  double error = 0;
  double square = 0;
  for (int64_t i = 0; i < expected.shape().count(); ++i) {
    const double e = expected.data<float>()[i];
    error += std::pow(result.data<float>()[i] - e, 2);
    square += e * e;
  }
  return std::sqrt(error / square);
}

TEST_F(CudaProducts, TheModelsPrecisionIsTheirs) {
  const Tensor x = random_tensor({5, 8}, 3);
  std::vector<Tensor> results;
  for (const Precision precision : {Precision::kDefault, Precision::kTf32, Precision::kBf16, Precision::kStrict}) {
    ModelOptions options;
    options.device = kDevice.name;
    options.kernels.disabled = {"islands"};
    options.kernels.precision = precision;
    results.push_back(run_fresh(model_of(kChain, options), {x}, {.threads = 1}).at(0));
  }
  EXPECT_TRUE(same_bits({results[0]}, {results[3]}));
  const double tf32 = error_of(results[1], results[0]);
  const double bf16 = error_of(results[2], results[0]);
  EXPECT_GT(tf32, 1e-6);
  EXPECT_LT(tf32, 1e-3);
  EXPECT_GT(bf16, 2 * tf32);
  EXPECT_LT(bf16, 1e-2);
}

TEST_F(CudaProducts, WhatFailsWhilePlanningIsLeftToKernels) {
  Product product = plain(3, 40, 50);
  product.has_bias = true;
  expect_planning_to_fail({"cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutCreate",
                           "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute",
                           "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmulAlgoCheck"},
                          CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_ALLOC_FAILED,
                          [&] { return made(product) != nullptr; });
}

TEST_F(CudaProducts, WithoutAHandleKernelsComputeAll) {
  close();
  fail_("cublasLtCreate", CUBLAS_STATUS_NOT_INITIALIZED, 0);
  open();
  EXPECT_EQ(made(plain(2, 2, 2)), nullptr);
  fail_("", 0, 0);
  EXPECT_EQ(made(plain(2, 2, 2)), nullptr) << "all products of an open device are computed in one way";
}

TEST_F(CudaProducts, WhatFailsInARunIsItsError) {
  const Product product = plain(3, 4, 5);
  const auto a = numbers(15, 1);
  const auto b = numbers(20, 2);
  const auto expected = run(product, 12, {a, b});
  fail_("cublasLtMatmul", CUBLAS_STATUS_EXECUTION_FAILED, 0);
  run(product, 12, {a, b});
  EXPECT_EQ(error_,
            "the device failed: the device fake GPU failed: product of 3 x 5 by 5 x 4: "
            "CUBLAS_STATUS_EXECUTION_FAILED (13)");
  fail_("cublasLtMatmul", CUBLAS_STATUS_ALLOC_FAILED, 0);
  run(product, 12, {a, b});
  EXPECT_EQ(error_,
            "the operator needs more memory than there is: the device fake GPU failed: product of 3 x 5 by 5 x 4: "
            "CUDA_ERROR_OUT_OF_MEMORY (2)");
  fail_("", 0, 0);
  EXPECT_EQ(run(product, 12, {a, b}), expected);
  EXPECT_FALSE(device_->lost());
}

TEST_F(CudaProducts, TheDeviceMayGoWithEachCall) {
  Product product = plain(3, 4, 5);
  product.has_bias = true;
  expect_the_device_to_go([&] {
    run(product, 12, {numbers(15, 1), numbers(20, 2), numbers(4, 3)});
    return error_;
  });
}

TEST_F(CudaProducts, ForkedProcessesUseThemNoMore) {
  const auto function = made(plain(2, 2, 2));
  const Block y = block(std::vector<float>(4));
  const Block x = block(std::vector<float>(4, 1));
  ASSERT_EQ(finish(), "");
  expect_to_fail_after_a_fork(*function, {y.argument, x.argument, x.argument});
}

}  // namespace
}  // namespace coracle::internal::test
