// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of lengths with large prime factors, against the sums that define them.
#include "ops/algebra/fourier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace coracle::internal {
namespace {

ComplexVector some_numbers(int64_t count) {
  ComplexVector x(static_cast<size_t>(count), kNoRun);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<double>(i);
    x[i] = {std::sin(1.7 * k * k + 0.3), std::cos(0.9 * k * k)};
  }
  return x;
}

/// Element k of the transform along the middle axis of [2, n, 3], of the line that begins at `first`.
std::complex<double> sum(const ComplexVector& x, int64_t first, int64_t n, int64_t k, bool forward) {
  std::complex<double> out;
  for (int64_t j = 0; j < n; ++j) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
    out += x[static_cast<size_t>(first + j * 3)] * std::polar(1.0, forward ? -angle : angle);
  }
  return out;
}

TEST(Fourier, LengthsWithLargePrimeFactorsAreTheSumsThatDefineThem) {
  for (const int64_t n : {1, 2, 97, 101, 127, 128, 202, 303, 997, 1009, 2 * 2 * 499, 101 * 103}) {
    for (const bool forward : {true, false}) {
      const ComplexVector x = some_numbers(2 * n * 3);
      ComplexVector y = x;
      fourier_transform(kNoRun, y, Shape{2, n, 3}, 1, forward);
      for (const int64_t line : {0, 1, 2}) {
        const int64_t first = (line % 2) * 3 * n + line;
        for (int64_t k = 0; k < n; k += 1 + n / 50) {
          const auto found = y[static_cast<size_t>(first + k * 3)];
          const auto expected = sum(x, first, n, k, forward);
          ASSERT_LT(std::abs(found - expected), 1e-11 * static_cast<double>(n))
              << n << (forward ? " forward " : " backward ") << k << " of line " << line;
        }
      }
    }
  }
}

TEST(Fourier, ALargePrimeLengthTakesNoMoreThanAConvolution) {
  // All products of pairs would be 10^10, for each of the two transforms.
  const int64_t n = 100003;
  const ComplexVector x = some_numbers(n);
  ComplexVector y = x;
  fourier_transform(kNoRun, y, Shape{n}, 0, true);
  fourier_transform(kNoRun, y, Shape{n}, 0, false);
  for (size_t i = 0; i < x.size(); i += 997) {
    ASSERT_LT(std::abs(y[i] / static_cast<double>(n) - x[i]), 1e-9) << i;
  }
}

}  // namespace
}  // namespace coracle::internal
