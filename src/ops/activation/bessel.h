// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

namespace coracle::internal {

/// The modified Bessel function of the first kind of order 0 or 1 at x, times e^-|x|.
inline double scaled_bessel(int order, double x) {
  const double size = std::fabs(x);
  const double sign = order == 1 && x < 0 ? -1 : 1;
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return 0;
  constexpr double kLarge = 40;  // from here on the asymptotic series is exact to double precision
  if (size > kLarge) {
    const double mu = 4.0 * order * order;
    double term = 1;
    double sum = 1;
    for (int k = 1; k < 40; ++k) {
      const double odd = 2 * k - 1;
      const double next = -term * (mu - odd * odd) / (8 * size * k);
      if (std::fabs(next) >= std::fabs(term)) break;
      term = next;
      sum += term;
    }
    return sign * sum / std::sqrt(2 * 3.14159265358979323846 * size);
  }
  double term = order == 0 ? 1 : size / 2;
  double sum = term;
  for (int k = 1; term > sum * std::numeric_limits<double>::epsilon(); ++k) {
    term *= size * size / 4 / (static_cast<double>(k) * (k + order));
    sum += term;
  }
  return sign * sum * std::exp(-size);
}

}  // namespace coracle::internal
