// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace coracle::vision {

/// In [0, factor); those of made_up_numbers.py.
inline std::vector<float> made_up_numbers(std::uint32_t seed, std::int64_t count, float factor = 1) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    out.push_back(static_cast<float>(seed >> 8U) / 16777216.0F * factor);
  }
  return out;
}

}  // namespace coracle::vision
