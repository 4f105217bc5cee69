// SPDX-License-Identifier: Apache-2.0
#include "quantize/four_bits.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace coracle::internal::quantize {
namespace {

constexpr int64_t kLargestGroup = 64;
constexpr int64_t kSmallestGroup = 32;
/// Columns that kernels take together.
constexpr int64_t kTogether = 8;
/// Groups whose largest value is below are zeros; values above have no four bits, so that all steps are normal numbers.
constexpr float kLeast = 1e-30F;
constexpr float kMost = 1e37F;

/// The nearest integer of -8 to 7, ties to even.
float nearest(float v) {
  constexpr float kWhole = 12582912.F;  // 1.5 * 2^23: a sum with it has no bits below one
  const float clipped = std::min(std::max(v, -8.F), 7.F);
  return (clipped + kWhole) - kWhole;
}

/// The step of a group by which its values are nearest to -8 to 7 steps. How many steps the largest value has is tried
/// in twentieths, with either sign, as -8 reaches further than 7; each time the step that is best for those integers
/// is what counts.
float step_of(const std::vector<float>& values) {
  float largest = 0;
  for (float v : values) {
    if (std::fabs(v) > std::fabs(largest)) largest = v;
  }
  if (std::fabs(largest) < kLeast) return 0;
  constexpr int kFirst = 120;
  constexpr int kLast = 200;
  constexpr int kStride = 4;
  constexpr float kParts = 20;
  double best = 0;
  double step = 0;
  for (const float sign : {-1.F, 1.F}) {
    for (int parts = kFirst; parts <= kLast; parts += kStride) {
      const float steps = sign * (static_cast<float>(parts) / kParts) / largest;
      // Of v, as a part of the largest, so that no square leaves the range of float32.
      float products = 0;
      float squares = 0;
      for (float v : values) {
        const float q = nearest(v * steps);
        products += q * (v / largest);
        squares += q * q;
      }
      if (squares == 0) continue;
      // What the best step takes off the sum of squares of the values.
      const double taken = static_cast<double>(products) * products / squares;
      if (taken <= best) continue;
      best = taken;
      step = static_cast<double>(products) / squares * largest;
    }
  }
  return static_cast<float>(step);
}

int64_t group_of(int64_t depth, bool even) {
  for (int64_t group = std::min(kLargestGroup, depth); group >= kSmallestGroup; --group) {
    if (depth % group == 0 && (!even || group % 2 == 0)) return group;
  }
  return 0;
}

}  // namespace

std::optional<StoredWeights> four_bit_weights(const Layer& layer, const Parameter& weights) {
  if (layer.family != LayerFamily::kProduct) return std::nullopt;
  const bool transposed = layer.axis == 0;
  const int64_t depth = weights.dims[transposed ? 1 : 0];
  const int64_t columns = weights.dims[transposed ? 0 : 1];
  const int64_t group = group_of(depth, transposed);
  if (group == 0 || columns % kTogether != 0) return std::nullopt;
  const std::vector<float> values = floats_of(weights);
  if (std::any_of(values.begin(), values.end(), [](float v) { return std::fabs(v) > kMost; })) return std::nullopt;

  StoredWeights w{DType::kUint8, std::string(values.size() / 2, '\0'), {}, {}, 0};
  w.group = group;
  // Steps lie as the weights do: [groups, columns] or [columns, groups].
  const int64_t groups = depth / group;
  const int64_t outer = transposed ? columns : groups;
  const int64_t inner = transposed ? groups : columns;
  const int64_t stride = transposed ? 1 : columns;
  std::vector<float> of_group(static_cast<size_t>(group));
  double signal = 0;
  double noise = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const int64_t first = transposed ? o * depth + i * group : o * group * columns + i;
      for (int64_t k = 0; k < group; ++k) {
        of_group[static_cast<size_t>(k)] = values[static_cast<size_t>(first + k * stride)];
      }
      const float step = step_of(of_group);
      w.ranges.push_back(step);
      for (int64_t k = 0; k < group; ++k) {
        const float v = of_group[static_cast<size_t>(k)];
        const float q = step == 0 ? 0 : nearest(v / step);
        const auto at = static_cast<size_t>(first + k * stride);
        const auto half = static_cast<unsigned>(static_cast<int>(q) + 8);
        w.content[at / 2] = static_cast<char>(static_cast<unsigned char>(w.content[at / 2]) | half << (at % 2 * 4));
        const double error = static_cast<double>(q) * step - v;
        signal += static_cast<double>(v) * v;
        noise += error * error;
      }
    }
  }
  w.noise_ratio = decibels_of(signal, noise);
  return w;
}

}  // namespace coracle::internal::quantize
