// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/reduce.h"

#include <cstring>

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

constexpr ReduceKind kReductions[] = {ReduceKind::kSum,   ReduceKind::kMean,    ReduceKind::kMax,
                                      ReduceKind::kMin,   ReduceKind::kProduct, ReduceKind::kSumSquares,
                                      ReduceKind::kSumAbs};

double expected_reduction(ReduceKind kind, const float* x, size_t n, size_t stride) {
  double sum = 0, squares = 0, absolute = 0, product = 1, largest = -INFINITY, smallest = INFINITY;
  for (size_t i = 0; i < n; ++i) {
    const double v = x[i * stride];
    sum += v;
    squares += v * v;
    absolute += std::abs(v);
    product *= v;
    largest = std::max(largest, v);
    smallest = std::min(smallest, v);
  }
  switch (kind) {
    case ReduceKind::kSum: return sum;
    case ReduceKind::kMean: return sum / static_cast<double>(n);
    case ReduceKind::kMax: return largest;
    case ReduceKind::kMin: return smallest;
    case ReduceKind::kProduct: return product;
    case ReduceKind::kSumSquares: return squares;
    case ReduceKind::kSumAbs: return absolute;
  }
  return 0;
}

int64_t expected_arg(bool largest, const float* x, size_t n, size_t stride) {
  size_t best = 0;
  for (size_t i = 1; i < n; ++i) {
    if (largest ? x[i * stride] > x[best * stride] : x[i * stride] < x[best * stride]) best = i;
  }
  return static_cast<int64_t>(best);
}

// Coarse values, so that there are ties; away from 0, so that products neither vanish nor overflow.
std::vector<float> values(size_t count, unsigned seed) {
  std::vector<float> x = random_floats(count, seed, -1, 1);
  for (float& v : x) v = std::round(v * 64) / 64 + (v < 0 ? -0.5f : 0.5f);
  return x;
}

TEST(ReduceKernels, Rows) {
  for (Isa isa : tested_isas()) {
    for (ReduceKind kind : kReductions) {
      for (size_t n : tested_sizes()) {
        const std::vector<float> x = values(3 * n, 1);
        float y[4] = {0, 0, 0, 77};
        reduce_table(isa).rows(kind, x.data(), y, 3, n, nullptr);
        for (size_t r = 0; r < 3; ++r) {
          const double e = expected_reduction(kind, x.data() + r * n, n, 1);
          EXPECT_TRUE(near(y[r], e, 1e-5, 1e-2))
              << name_of(isa) << " kind " << int(kind) << " n " << n << ": " << y[r] << " not " << e;
        }
        EXPECT_EQ(y[3], 77.0f);
      }
    }
  }
}

TEST(ReduceKernels, Strided) {
  for (Isa isa : tested_isas()) {
    for (ReduceKind kind : kReductions) {
      for (size_t n : {0, 1, 2, 7, 65, 300}) {
        for (size_t inner : {1, 3, 16, 33, 70, 131}) {
          const std::vector<float> x = values(n * inner, 2);
          std::vector<float> y(inner + 1, 77.0f), whole(inner + 1, 77.0f);
          reduce_table(isa).strided(kind, x.data(), y.data(), n, inner, 0, inner / 3, nullptr);
          reduce_table(isa).strided(kind, x.data(), y.data(), n, inner, inner / 3, inner, nullptr);
          reduce_table(isa).strided(kind, x.data(), whole.data(), n, inner, 0, inner, nullptr);
          EXPECT_EQ(y.back(), 77.0f);
          for (size_t i = 0; i < inner; ++i) {
            const double e = expected_reduction(kind, n == 0 ? x.data() : x.data() + i, n, inner);
            EXPECT_TRUE(near(y[i], e, 1e-5, 1e-2))
                << name_of(isa) << " kind " << int(kind) << " n " << n << ": " << y[i] << " not " << e;
            EXPECT_EQ(std::memcmp(&y[i], &whole[i], sizeof(float)), 0);
          }
        }
      }
    }
  }
}

TEST(ReduceKernels, Arguments) {
  for (Isa isa : tested_isas()) {
    for (bool largest : {false, true}) {
      for (size_t n : tested_sizes()) {
        const std::vector<float> x = values(3 * n, 3);
        int64_t y[3];
        reduce_table(isa).arg_rows(largest, x.data(), y, 3, n, nullptr);
        for (size_t r = 0; r < 3; ++r) EXPECT_EQ(y[r], n == 0 ? 0 : expected_arg(largest, x.data() + r * n, n, 1));
      }
      for (size_t n : {1, 2, 50}) {
        for (size_t inner : {1, 7, 16, 37}) {
          const std::vector<float> x = values(n * inner, 4);
          std::vector<int64_t> y(inner + 1, 77);
          reduce_table(isa).arg_strided(largest, x.data(), y.data(), n, inner, 0, inner, nullptr);
          for (size_t i = 0; i < inner; ++i) EXPECT_EQ(y[i], expected_arg(largest, x.data() + i, n, inner));
          EXPECT_EQ(y.back(), 77);
        }
      }
    }
  }
}

TEST(ReduceKernels, NotANumberComesThrough) {
  for (Isa isa : tested_isas()) {
    for (size_t at = 0; at < 70; ++at) {
      std::vector<float> x = values(70, 5);
      x[at] = NAN;
      for (ReduceKind kind : kReductions) {
        if (kind == ReduceKind::kMax || kind == ReduceKind::kMin) continue;
        float y = 0;
        reduce_table(isa).rows(kind, x.data(), &y, 1, x.size(), nullptr);
        EXPECT_TRUE(std::isnan(y));
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
