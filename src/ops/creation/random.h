// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include "base/convert.h"
#include "base/long_loop.h"
#include "ops/common/operands.h"
#include "ops/creation/filling.h"

namespace coracle::internal {

/// A stream of random numbers (splitmix64): the same seed gives the same numbers on every machine.
class RandomStream {
 public:
  explicit RandomStream(int64_t seed) : state_(static_cast<uint64_t>(seed)) {}
  uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  /// Evenly distributed in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11U) * 0x1.0p-53; }
  /// Normally distributed with mean 0 and variance 1.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  /// An integer in [0, n); n is positive.
  int64_t below(int64_t n) { return static_cast<int64_t>(bits() % static_cast<uint64_t>(n)); }

 private:
  uint64_t state_;
};

/// Fills a tensor of any real type with f().
template <class F>
void fill_each(const RunContext& context, Tensor& t, const F& f) {
  visit_real(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    LoopCheck check(context);
    for (int64_t i = 0, n = t.count(); i < n; ++i) {
      check.step(4);
      t.data<T>()[i] = convert<T>(f());
    }
  });
}

}  // namespace coracle::internal
