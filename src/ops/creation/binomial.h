// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/buffer.h"
#include "ops/common/binary.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// How many of `count` trials succeed, each with probability `prob`.
struct Binomial {
  static constexpr const char* kName = "binomial";
  static constexpr Port kInputs[] = {in("count", "count"), in("prob", "prob")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static constexpr bool kPure = false;
  friend bool operator==(const Binomial&, const Binomial&) = default;
};

inline void infer(const Binomial&, InferArgs& a) { a.set(0, DType::kInt64, broadcast(a.shape(0), a.shape(1))); }

inline void reference(const Binomial&, ReferenceArgs& a) {
  RandomStream random(0);
  const Buffer<double> counts = a.doubles(0);
  const Buffer<double> probabilities = a.doubles(1);
  BroadcastWalk(a.out(0).shape(), a.shape(0), a.shape(1)).each(a.context(), [&](int64_t i, int64_t ix, int64_t iy) {
    const double n = counts[static_cast<size_t>(ix)];
    const double p = std::clamp(probabilities[static_cast<size_t>(iy)], 0.0, 1.0);
    double successes = 0;
    if (n > 1000 && p > 0 && p < 1) {
      successes = std::clamp(std::round(n * p + std::sqrt(n * p * (1 - p)) * random.normal()), 0.0, n);
    } else if (n > 1000) {
      successes = n * p;
    } else {
      for (int64_t k = 0; k < whole(n); ++k) successes += random.uniform() < p ? 1 : 0;
    }
    a.out(0).data<int64_t>()[i] = whole(successes);
  });
}

inline constexpr const OpSchema* binomial_op = &kOpSchema<Binomial>;

}  // namespace coracle::internal
