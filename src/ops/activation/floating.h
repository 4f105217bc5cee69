// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

/// Special functions the standard library lacks.
namespace coracle::internal {

/// The y with erf(y) = x; infinite at -1 and 1 and beyond, as in Paddle. Newton steps from a rational start are exact
/// to a few ulps.
inline double inverse_erf(double x) {
  if (x != x) return x;
  if (x <= -1 || x >= 1) return std::copysign(std::numeric_limits<double>::infinity(), x);
  const double w = -std::log((1.0 - x) * (1.0 + x));
  const double t = 2.0 / (std::numbers::pi * 0.147) - w * 0.5;
  const double start = std::sqrt(std::sqrt(t * t + w / 0.147) - t);
  double y = std::copysign(start, x);
  for (int i = 0; i < 3; ++i) {
    const double error =
        (std::fabs(x) < 0.5 ? std::erf(y) - x
                            : std::copysign(1.0 - std::fabs(x), x) - std::copysign(std::erfc(std::fabs(y)), x));
    const double slope = 2.0 * std::numbers::inv_sqrtpi * std::exp(-y * y);
    if (slope == 0) break;
    const double step = error / slope;
    y -= step / (1.0 + y * step);
  }
  return y;
}

/// Derivative of log(gamma(x)). At its poles NaN, but for 0 and -0, where Paddle 3.3 has -infinity and infinity.
inline double digamma(double x) {
  if (x == 0) return std::copysign(std::numeric_limits<double>::infinity(), -x);
  if (x < 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  double shift = 0;
  if (x < 0) {
    shift = -std::numbers::pi / std::tan(std::numbers::pi * x);
    x = 1.0 - x;
  }
  while (x < 10) {
    shift -= 1.0 / x;
    x += 1.0;
  }
  const double z = 1.0 / (x * x);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
  return shift + std::log(x) - 0.5 / x - series;
}

}  // namespace coracle::internal
