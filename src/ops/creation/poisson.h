// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/buffer.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// Numbers drawn from Poisson distributions with means x.
struct Poisson {
  static constexpr const char* kName = "poisson";
  static constexpr const char* kLegacy[] = {"poisson"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kPure = false;
  friend bool operator==(const Poisson&, const Poisson&) = default;
};

inline void infer(const Poisson&, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const Poisson&, ReferenceArgs& a) {
  RandomStream random(0);
  Buffer<double> values = a.doubles(0);
  for (double& v : values) {
    if (!(v > 0)) {
      v = 0;
    } else if (v > 500) {
      v = std::max(0.0, std::round(v + std::sqrt(v) * random.normal()));
    } else {
      const double limit = std::exp(-v);
      double product = random.uniform();
      v = 0;
      for (; product > limit; product *= random.uniform()) v += 1;
    }
  }
  a.out(0).assign(a.context(), std::span<const double>(values));
}

inline constexpr const OpSchema* poisson_op = &kOpSchema<Poisson>;

}  // namespace coracle::internal
