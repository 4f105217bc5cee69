// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "ops/activation/floating.h"
#include "ops/activation/unary.h"

namespace coracle::internal {

/// The derivative of order n of the digamma function; of order 0 it is minus infinity everywhere, as in Paddle.
struct Polygamma {
  static constexpr const char* kName = "polygamma";
  static constexpr const char* kLegacy[] = {"polygamma"};
  static constexpr Port kInputs[] = {in("x", "x")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int n = 1;
  void attributes(AttributeVisitor& visit) { visit("n", n); }
  friend bool operator==(const Polygamma&, const Polygamma&) = default;
};

/// The sum of (x + k)^-s over all k from 0 on, for whole s above 1.
inline double hurwitz_zeta(double s, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::infinity();
    // The terms of the negative x + k are, but for their sign, a stretch of the sum that begins at 1 - fraction.
    const double fraction = x - std::floor(x);
    const double sign = std::fmod(s, 2) == 0 ? 1 : -1;
    return hurwitz_zeta(s, fraction) + sign * (hurwitz_zeta(s, 1 - fraction) - hurwitz_zeta(s, 1 - x));
  }
  constexpr int kTerms = 16;
  double sum = 0;
  for (int k = 0; k < kTerms; ++k) sum += std::pow(x + k, -s);
  const double a = x + kTerms;
  sum += std::pow(a, 1 - s) / (s - 1) + 0.5 * std::pow(a, -s);
  // Bernoulli numbers over factorials: what the integral leaves out.
  constexpr double kCoefficients[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};
  double factor = s * std::pow(a, -s - 1);
  for (int i = 0; i < 5; ++i) {
    sum += kCoefficients[i] * factor;
    factor *= (s + 2 * i + 1) * (s + 2 * i + 2) / (a * a);
  }
  return sum;
}

inline void infer(const Polygamma& op, InferArgs& a) {
  require(op.n >= 0, "n is ", op.n, ", expected 0 or more");
  infer_unary(a);
}

inline void reference(const Polygamma& op, ReferenceArgs& a) {
  const double factorial = std::tgamma(op.n + 1.0);
  reference_unary(a, [&](double x) {
    if (op.n == 0) return -std::numeric_limits<double>::infinity();
    return (op.n % 2 == 1 ? 1.0 : -1.0) * factorial * hurwitz_zeta(op.n + 1.0, x);
  });
}

inline constexpr const OpSchema* polygamma_op = &kOpSchema<Polygamma>;

}  // namespace coracle::internal
