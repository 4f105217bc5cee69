// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/tile_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "devices/cpu/isa/isa_test.h"

/// What is particular to products on matrix tiles: their errors, and numbers that have no parts. GemmTest shows the
/// rest.
namespace coracle::internal::cpu {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();

struct Matrices {
  int64_t rows, depth, columns;
  std::vector<float> a, b;

  Matrices(int64_t m, int64_t k, int64_t n, const std::function<float()>& next) : rows(m), depth(k), columns(n) {
    for (int64_t i = 0; i < m * k; ++i) a.push_back(next());
    for (int64_t i = 0; i < k * n; ++i) b.push_back(next());
  }
};

std::vector<float> product(const GemmFunctions& f, const Matrices& m, const std::vector<int64_t>& row_parts = {}) {
  GemmCall call;
  call.shape = {1, m.depth, m.columns};
  const GemmSource source{.data = m.b.data(), .inner = m.depth, .inner_stride = m.columns, .column_stride = 1};
  std::vector<float> packed(static_cast<size_t>(f.packed_floats(call.shape)));
  f.pack(call.shape, source, packed.data(), 0, f.panels(m.columns));
  std::vector<float> c(static_cast<size_t>(m.rows * m.columns), kNotANumber);
  call.a = m.a.data();
  call.a_stride = m.depth;
  call.packed = packed.data();
  call.c = c.data();
  call.c_stride = m.columns;
  int64_t begin = 0;
  for (int64_t end : row_parts) {
    f.run(call, begin, end, 0, f.panels(m.columns));
    begin = end;
  }
  f.run(call, begin, m.rows, 0, f.panels(m.columns));
  return c;
}

/// The root mean square of the errors, over that of the results.
double error(const std::vector<float>& c, const Matrices& m) {
  double errors = 0;
  double results = 0;
  for (int64_t r = 0; r < m.rows; ++r) {
    for (int64_t j = 0; j < m.columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < m.depth; ++k) {
        sum += double{m.a[static_cast<size_t>(r * m.depth + k)]} * m.b[static_cast<size_t>(k * m.columns + j)];
      }
      const double difference = c[static_cast<size_t>(r * m.columns + j)] - sum;
      errors += difference * difference;
      results += sum * sum;
    }
  }
  return std::sqrt(errors / results);
}

TEST(TileGemm, ErrorsAreThoseOfTheScheme) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(0, 1);
  std::uniform_real_distribution<float> exponent(-30, 30);
  const std::function<float()> kinds[] = {
      [&] { return normal(engine); }, [&] { return uniform(engine); },
      [&] { return std::pow(10.0F, exponent(engine) / 2) * (uniform(engine) < 0.5F ? 1.0F : -1.0F); }};
  for (const auto& kind : kinds) {
    for (const int64_t depth : {16, 100, 257, 3000}) {
      const Matrices m(17, depth, 33, kind);
      const double multiply_adds = error(product(gemm_table(Isa::kAny), m), m);
      for (const TestedGemm& x6 : tested_gemms(ComputeMode::kBf16x6)) {
        EXPECT_LE(error(product(*x6.functions, m), m), 1.2 * multiply_adds + 5e-8) << depth << " " << x6.name;
      }
      for (const TestedGemm& x3 : tested_gemms(ComputeMode::kBf16x3)) {
        EXPECT_LE(error(product(*x3.functions, m), m), 1e-5) << depth << " " << x3.name;
      }
      for (const TestedGemm& bf16 : tested_gemms(ComputeMode::kBf16)) {
        EXPECT_LE(error(product(*bf16.functions, m), m), 4e-3) << depth << " " << bf16.name;
      }
    }
  }
}

TEST(TileGemm, NumbersWithoutPartsGiveWhatFloatsGive) {
  // One such number in a row of A or a column of B; neighbours are as they are without it.
  for (const ComputeMode mode : {ComputeMode::kBf16x6, ComputeMode::kBf16x3, ComputeMode::kBf16}) {
    for (const TestedGemm& gemm : tested_gemms(mode)) {
      for (const float special : {kNotANumber, kInfinite, -kInfinite}) {
        for (const int64_t depth : {40, 800}) {
          std::mt19937 engine(2);
          std::uniform_int_distribution<int> small(1, 5);  // exact in each scheme
          Matrices m(37, depth, 35, [&] { return static_cast<float>(small(engine)); });
          const std::vector<float> before = product(*gemm.functions, m);
          m.a[static_cast<size_t>(18 * depth + depth / 2)] = special;
          m.b[static_cast<size_t>((depth - 1) * 35 + 33)] = special;
          const std::vector<float> after = product(*gemm.functions, m);
          for (int64_t i = 0; i < 37 * 35; ++i) {
            const float got = after[static_cast<size_t>(i)];
            const bool touched = i / 35 == 18 || i % 35 == 33;
            if (!touched) {
              EXPECT_EQ(got, before[static_cast<size_t>(i)]) << gemm.name << " element " << i;
            } else if (std::isnan(special)) {
              EXPECT_TRUE(std::isnan(got)) << gemm.name << " element " << i << " is " << got;
            } else {
              EXPECT_EQ(got, special) << gemm.name << " element " << i;
            }
          }
          m.a[static_cast<size_t>(18 * depth + depth / 2 + 1)] = -special;
          EXPECT_TRUE(std::isnan(product(*gemm.functions, m)[18 * 35])) << gemm.name;
        }
      }
    }
  }
}

TEST(TileGemm, TheLargestNumbersDoNotBecomeInfinity) {
  for (const TestedGemm& gemm : tested_gemms(ComputeMode::kBf16x6)) {
    const Matrices m(16, 1, 16, [n = 0]() mutable { return n++ < 16 ? kLargest : 1.0F; });
    for (const float value : product(*gemm.functions, m)) EXPECT_EQ(value, kLargest) << gemm.name;
    // A sum whose terms pass the largest number in between is infinite, as with floats.
    const Matrices sums(16, 2, 16, [] { return 1e25F; });
    for (const float value : product(*gemm.functions, sums)) EXPECT_EQ(value, kInfinite) << gemm.name;
  }
}

TEST(TileGemm, WhatIsTooSmallForANumberCountsAsZero) {
  constexpr float kSmallest = std::numeric_limits<float>::min();
  for (const ComputeMode mode : {ComputeMode::kBf16x6, ComputeMode::kBf16x3, ComputeMode::kBf16}) {
    for (const TestedGemm& gemm : tested_gemms(mode)) {
      const Matrices denormal(16, 32, 16, [n = 0]() mutable { return n++ < 16 * 32 ? 1e-40F : 1.0F; });
      for (const float value : product(*gemm.functions, denormal)) {
        EXPECT_LE(std::abs(value), 32 * kSmallest) << gemm.name;
      }
      const Matrices smallest(16, 32, 16, [n = 0]() mutable { return n++ < 16 * 32 ? kSmallest : 1.0F; });
      for (const float value : product(*gemm.functions, smallest)) EXPECT_EQ(value, 32 * kSmallest) << gemm.name;
    }
  }
}

TEST(TileGemm, RowsOfOtherItemsChangeNoBit) {
  std::mt19937 engine(3);
  std::normal_distribution<float> normal;
  for (const ComputeMode mode : {ComputeMode::kBf16x6, ComputeMode::kBf16x3, ComputeMode::kBf16}) {
    for (const TestedGemm& gemm : tested_gemms(mode)) {
      const Matrices m(70, 900, 70, [&] { return normal(engine); });
      const std::vector<float> want = product(*gemm.functions, m);
      EXPECT_EQ(product(*gemm.functions, m, {1, 2, 19, 51}), want) << gemm.name;
      Matrices other = m;
      std::fill_n(other.a.begin() + 900, 900, kNotANumber);
      const std::vector<float> got = product(*gemm.functions, other);
      EXPECT_TRUE(std::equal(got.begin(), got.begin() + 70, want.begin())) << gemm.name;
      EXPECT_TRUE(std::equal(got.begin() + 140, got.end(), want.begin() + 140)) << gemm.name;
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
