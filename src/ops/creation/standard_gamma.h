// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "base/buffer.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// Numbers drawn from gamma distributions with shapes x and scale 1.
struct StandardGamma {
  static constexpr const char* kName = "standard_gamma";
  static constexpr Port kInputs[] = {in("x", "x")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static constexpr bool kPure = false;
  friend bool operator==(const StandardGamma&, const StandardGamma&) = default;
};

inline void infer(const StandardGamma&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  a.set(0, a.dtype(0), a.shape(0));
}

/// By rejection from a cubed normal number (Marsaglia and Tsang).
inline double draw_gamma(double shape, RandomStream& random) {
  if (!(shape > 0)) return 0;
  const double boost = shape < 1 ? std::pow(1.0 - random.uniform(), 1 / shape) : 1.0;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  constexpr int kMost = 1000;
  for (int attempt = 0; attempt < kMost; ++attempt) {
    const double x = random.normal();
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v > 0 && std::log(1.0 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return boost * d * v;
  }
  return boost * d;
}

inline void reference(const StandardGamma&, ReferenceArgs& a) {
  RandomStream random(0);
  Buffer<double> values = a.doubles(0);
  for (double& v : values) v = draw_gamma(v, random);
  a.out(0).assign(a.context(), std::span<const double>(values));
}

inline constexpr const OpSchema* standard_gamma_op = &kOpSchema<StandardGamma>;

}  // namespace coracle::internal
