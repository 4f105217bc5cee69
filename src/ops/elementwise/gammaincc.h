// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/binary.h"

namespace coracle::internal {

/// The upper regularised incomplete gamma function of x and y; as in Paddle 1 where one of them
/// is not positive, else NaN where one is not finite.
struct Gammaincc {
  static constexpr const char* kName = "gammaincc";
  static constexpr const char* kLegacy[] = {"gammaincc"};
  static constexpr Port kInputs[] = {in("x", "x"), in("y", "y")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Gammaincc&, const Gammaincc&) = default;
};

inline double upper_incomplete_gamma(double a, double x) {
  if (a <= 0 || x <= 0) return 1;
  if (!std::isfinite(a) || !std::isfinite(x)) return std::nan("");
  constexpr int kMost = 2000;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {  // the series of the lower function
    double term = 1 / a;
    double sum = term;
    for (int k = 1; k < kMost && std::fabs(term) > 1e-17 * sum; ++k) {
      term *= x / (a + k);
      sum += term;
    }
    return 1 - sum * scale;
  }
  // A continued fraction.
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double h = d;
  for (int k = 1; k < kMost; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = an * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return scale * h;
}

inline void infer(const Gammaincc&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  infer_binary(a);
}

inline void reference(const Gammaincc&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) {
    return static_cast<decltype(x)>(upper_incomplete_gamma(static_cast<double>(x), static_cast<double>(y)));
  });
}

inline constexpr const OpSchema* gammaincc_op = &kOpSchema<Gammaincc>;

}  // namespace coracle::internal
