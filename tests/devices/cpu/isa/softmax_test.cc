// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/softmax.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

// Over the middle axis of [outer, n, inner].
std::vector<double> expected_softmax(const std::vector<float>& x, size_t outer, size_t n, size_t inner, bool log) {
  std::vector<double> y(x.size());
  for (size_t o = 0; o < outer; ++o) {
    for (size_t k = 0; k < inner; ++k) {
      const size_t base = o * n * inner + k;
      double largest = -INFINITY, sum = 0;
      for (size_t i = 0; i < n; ++i) largest = std::max(largest, double{x[base + i * inner]});
      for (size_t i = 0; i < n; ++i) sum += std::exp(x[base + i * inner] - largest);
      for (size_t i = 0; i < n; ++i) {
        const double v = x[base + i * inner] - largest;
        y[base + i * inner] = log ? v - std::log(sum) : std::exp(v) / sum;
      }
    }
  }
  return y;
}

void compare_softmax(const std::vector<float>& y, const std::vector<double>& e, const char* form, Isa isa, size_t n) {
  int bad = 0;
  for (size_t i = 0; i < e.size() && bad < 3; ++i) {
    const bool good = near(y[i], e[i], 4e-6, e[i] < 0 ? 1 : 1e-3);
    EXPECT_TRUE(good) << form << ' ' << name_of(isa) << " n " << n << ": " << y[i] << " not " << e[i];
    bad += !good;
  }
}

TEST(SoftmaxKernels, Rows) {
  for (Isa isa : tested_isas()) {
    for (size_t rows : {0, 1, 3}) {
      for (size_t n : tested_sizes()) {
        const std::vector<float> x = random_floats(rows * n, 1, -20, 20);
        std::vector<float> y(x.size() + 1, 77.0f);
        softmax_table(isa).rows(x.data(), y.data(), rows, n, n % 3, nullptr);
        EXPECT_EQ(y.back(), 77.0f);
        compare_softmax(y, expected_softmax(x, rows, n, 1, false), "rows", isa, n);
        softmax_table(isa).log_rows(x.data(), y.data(), rows, n, nullptr);
        EXPECT_EQ(y.back(), 77.0f);
        compare_softmax(y, expected_softmax(x, rows, n, 1, true), "log_rows", isa, n);
        std::vector<float> in_place = x;
        softmax_table(isa).rows(in_place.data(), in_place.data(), rows, n, n, nullptr);
        compare_softmax(in_place, expected_softmax(x, rows, n, 1, false), "in place", isa, n);
      }
    }
  }
}

TEST(SoftmaxKernels, Strided) {
  for (Isa isa : tested_isas()) {
    for (size_t inner : {1, 3, 16, 31, 64, 77, 130}) {
      for (size_t n : {1, 2, 7, 33}) {
        const std::vector<float> x = random_floats(n * inner, 2, -20, 20);
        for (bool log : {false, true}) {
          std::vector<float> y(x.size() + 1, 77.0f);
          const SoftmaxFunctions& table = softmax_table(isa);
          const auto run = [&](const float* from, float* to, size_t length, size_t columns, size_t begin, size_t end) {
            if (log) return table.log_strided(from, to, length, columns, begin, end, nullptr);
            table.strided(from, to, length, columns, begin, end, length / 2, nullptr);
          };
          run(x.data(), y.data(), n, inner, 0, inner / 2);
          run(x.data(), y.data(), n, inner, inner / 2, inner);
          EXPECT_EQ(y.back(), 77.0f);
          compare_softmax(y, expected_softmax(x, 1, n, inner, log), "strided", isa, n);
          std::vector<float> whole(x);
          run(whole.data(), whole.data(), n, inner, 0, inner);
          y.pop_back();
          EXPECT_EQ(whole, y) << "the split must not change bits";
        }
      }
    }
  }
}

TEST(SoftmaxKernels, LargeAndInfinite) {
  for (Isa isa : tested_isas()) {
    const float x[] = {-INFINITY, 1000.0f, 1000.0f, -1000.0f, -INFINITY};
    float y[5];
    softmax_table(isa).rows(x, y, 1, 5, 0, nullptr);
    // Nothing counts as less than the largest - 64, as in Paddle.
    const float least = std::exp(-64.0f) / 2;
    const float shares[] = {least, 0.5f, 0.5f, least, least};
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(y[i], shares[i], 1e-5 * static_cast<double>(shares[i])) << i;
    const float with_nan[] = {1, NAN, 2};
    softmax_table(isa).rows(with_nan, y, 1, 3, 0, nullptr);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[i]));
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
