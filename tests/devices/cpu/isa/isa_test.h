// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/isa.h"

namespace coracle::cpu {

/// The instruction sets that have tables and that this machine runs.
inline std::vector<Isa> tested_isas() {
  std::vector<Isa> isas;
#if defined(__x86_64__)
  for (Isa isa : {Isa::kSse2, Isa::kAvx2, Isa::kAvx512}) {
    if (runs_on(isa, detected_isa())) isas.push_back(isa);
  }
#else
  isas.push_back(Isa::kNeon);
#endif
  return isas;
}

/// Sizes below, at and above vector widths and blocks.
inline std::vector<size_t> tested_sizes() {
  return {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257, 1023, 4099};
}

inline std::vector<float> random_floats(size_t count, unsigned seed, float low = -2.0f, float high = 2.0f) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = distribution(generator);
  return values;
}

/// Equal within `relative` of max(|expected|, scale); infinities and NaN must agree.
inline bool near(float actual, double expected, double relative, double scale = 1e-30) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(static_cast<float>(expected)) || std::isinf(actual)) return actual == static_cast<float>(expected);
  return std::abs(actual - expected) <= relative * std::max(std::abs(expected), scale);
}

}  // namespace coracle::cpu
