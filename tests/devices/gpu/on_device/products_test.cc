// SPDX-License-Identifier: Apache-2.0
// Products by a library of the device's maker, where there is one.
#include "devices/gpu/on_device/products.h"

#include "base/half.h"

namespace coracle::internal::test {
namespace {

using gpu::Matrices;
using gpu::Product;

class GpuProducts : public Products<FirstDevice> {
 protected:
  void SetUp() override {
    FirstDevice::SetUp();
    if (!IsSkipped() && made(plain(2, 2, 2)) == nullptr) GTEST_SKIP() << "no library computes products";
  }
};

TEST_F(GpuProducts, TheyAreTheSumsOfProducts) {
  for (const int64_t rows : {1, 2, 7, 65, 130}) {
    for (const int64_t columns : {1, 3, 16, 70}) {
      for (const int64_t depth : {1, 5, 16, 33}) {
        for (const bool turned : {false, true}) {
          SCOPED_TRACE(text(rows, " x ", depth, " by ", depth, " x ", columns, turned ? ", both turned" : ""));
          Product product = plain(rows, columns, depth);
          const auto a = numbers(rows * depth, 1);
          const auto b = numbers(depth * columns, 2);
          Matrices& p = product.matrices;
          if (turned) {
            p.a_row = rows == 1 ? 0 : 1;
            p.a_depth = depth == 1 ? 0 : rows;
            p.b_depth = depth == 1 ? 0 : 1;
            p.b_column = columns == 1 ? 0 : depth;
          }
          const auto y = run(product, rows * columns, {a, b});
          ASSERT_EQ(error_, "");
          for (int64_t m = 0; m < rows; ++m) {
            for (int64_t n = 0; n < columns; ++n) {
              double sum = 0;
              for (int64_t k = 0; k < depth; ++k) {
                sum += double{a[static_cast<size_t>(m * p.a_row + k * p.a_depth)]} *
                       double{b[static_cast<size_t>(k * p.b_depth + n * p.b_column)]};
              }
              ASSERT_NEAR(y[static_cast<size_t>(m * columns + n)], sum, 0.03) << m << ", " << n;
            }
          }
        }
      }
    }
  }
}

TEST_F(GpuProducts, WhatElseTheyDo) {
  const std::vector<float> a = {1, 2, 3, -4};
  const std::vector<float> b = {1, 0, 0, 1};
  const std::vector<float> added = {10, 20, 30, 40};
  const std::vector<float> bias = {-20, 0.5F};
  Product product = plain(2, 2, 2);
  product.alpha = 2;
  EXPECT_EQ(run(product, 4, {a, b}), (std::vector<float>{2, 4, 6, -8}));
  product.has_bias = true;
  EXPECT_EQ(run(product, 4, {a, b, bias}), (std::vector<float>{-18, 4.5F, -14, -7.5F}));
  product.activation = Product::Activation::kRelu;
  EXPECT_EQ(run(product, 4, {a, b, bias}), (std::vector<float>{0, 4.5F, 0, 0}));
  product.has_added = true;
  EXPECT_EQ(run(product, 4, {a, b, added, bias}), (std::vector<float>{0, 24.5F, 16, 32.5F}));
  product.has_bias = false;
  EXPECT_EQ(run(product, 4, {a, b, added}), (std::vector<float>{12, 24, 36, 32}));
  product = plain(1, 1, 1);
  product.activation = Product::Activation::kGeluTanh;
  EXPECT_NEAR(run(product, 1, {{1}, {1}})[0], 0.841192, 1e-5);
  EXPECT_EQ(error_, "");
}

TEST_F(GpuProducts, OfHalves) {
  Product product = plain(3, 5, 4);
  product.type = DType::kFloat16;
  product.has_bias = true;
  const auto function = made(product);
  ASSERT_NE(function, nullptr);
  const auto halves = [](int64_t count, float value) {
    return std::vector<uint16_t>(static_cast<size_t>(count), Float16::from_float(value));
  };
  const Block y = block(halves(15, NAN));
  const Block a = block(halves(12, 0.5F));
  const Block b = block(halves(20, 3));
  const Block bias = block(halves(5, 0.25F));
  launch(*queue_, *function, {}, {y.argument, a.argument, b.argument, bias.argument});
  std::vector<uint16_t> result(15);
  queue_->download({y.memory.get(), 128}, result.data(), 30);
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(result, halves(15, 6.25F));
}

/// The first item's bits do not depend on how many there are, nor on how rows and matrices are counted.
TEST_F(GpuProducts, OthersInTheBatchDoNotShow) {
  for (const int64_t columns : {3, 16, 70}) {
    for (const int64_t depth : {5, 16, 77}) {
      const auto b = numbers(depth * columns, 3);
      const auto expected = run(plain(1, columns, depth), columns, {numbers(depth, 1), b});
      ASSERT_EQ(error_, "");
      for (const int64_t rows : {2, 4, 65, 300}) {
        auto a = numbers(rows * depth, 7);
        const auto first = numbers(depth, 1);
        std::copy(first.begin(), first.end(), a.begin());
        auto y = run(plain(rows, columns, depth), rows * columns, {a, b});
        y.resize(expected.size());
        EXPECT_EQ(y, expected) << rows << " rows";
        Product matrices = plain(1, columns, depth);
        matrices.matrices.batch = {{rows, depth, 0}};
        y = run(matrices, rows * columns, {a, b});
        y.resize(expected.size());
        EXPECT_EQ(y, expected) << rows << " matrices";
        ASSERT_EQ(error_, "");
      }
    }
  }
}

/// The stand-in for cuBLASLt draws how sums are split where that is allowed.
TEST_F(GpuProducts, RunsAreAlike) {
  const Product product = plain(3, 40, 200);
  const auto a = numbers(600, 1);
  const auto b = numbers(8000, 2);
  const auto expected = run(product, 120, {a, b});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run(product, 120, {a, b}), expected);
}

TEST_F(GpuProducts, BatchesOfAnyAxes) {
  const int64_t rows = 3;
  const int64_t columns = 4;
  const int64_t depth = 5;
  const int64_t a = rows * depth;
  const int64_t b = depth * columns;
  const std::vector<Matrices::Axis> cases[] = {
      {{2, 3 * a, 3 * b}, {3, a, b}}, {{2, 0, 3 * b}, {3, 0, b}}, {{1, 0, 0}, {3, a, b}},
      {{2, 0, 3 * b}, {3, a, b}},     {{3, a, 0}, {2, 0, b}},     {{2, 0, b}, {2, a, 0}, {2, 2 * a, 0}},
  };
  for (const std::vector<Matrices::Axis>& batch : cases) {
    Product product = plain(rows, columns, depth);
    product.matrices.batch = batch;
    int64_t count = 1;
    for (const Matrices::Axis& axis : batch) count *= axis.size;
    const auto left = numbers(6 * a, 1);
    const auto right = numbers(6 * b, 2);
    const auto y = run(product, count * rows * columns, {left, right});
    ASSERT_EQ(error_, "");
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i;
      int64_t a_at = 0;
      int64_t b_at = 0;
      for (auto axis = batch.rbegin(); axis != batch.rend(); ++axis) {
        a_at += rest % axis->size * axis->a_step;
        b_at += rest % axis->size * axis->b_step;
        rest /= axis->size;
      }
      const auto one =
          run(plain(rows, columns, depth), rows * columns,
              {{left.begin() + a_at, left.begin() + a_at + a}, {right.begin() + b_at, right.begin() + b_at + b}});
      EXPECT_TRUE(std::equal(one.begin(), one.end(), y.begin() + i * rows * columns)) << "matrix " << i;
    }
  }
}

TEST_F(GpuProducts, WhatCannotBeAMatrixIsLeftToKernels) {
  Product product = plain(3, 4, 5);
  product.matrices.b_column = 2;
  product.matrices.b_depth = 8;
  EXPECT_EQ(made(product), nullptr);
}

/// The bias's address is the description's, which all that use the function share.
TEST_F(GpuProducts, AFunctionIsForAnyNumberOfThreads) {
  Product product = plain(2, 8, 3);
  product.has_bias = true;
  expect_for_threads(made(product), std::vector<float>(6, 1), std::vector<float>(24, 1), 8, 3);
}

}  // namespace
}  // namespace coracle::internal::test
