// SPDX-License-Identifier: Apache-2.0
#include "int8_channel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "node.h"

namespace coracle_xnnpack {
namespace {

/// Of a step: what is less changes a result by one step at most, and so rarely.
constexpr double kNegligible = 1.0 / 1024;
/// XNNPACK takes scales that are less, of results' steps.
constexpr double kLargestScale = 256;

}  // namespace

Int8Channel int8_channel(float factor, float bias, float step, size_t products) {
  require(std::isfinite(factor) && std::isfinite(bias), "a factor or bias of its channels is not finite");
  const double size = std::abs(double{factor});
  const double largest_sum = static_cast<double>(products) * kLargestInt8Product;
  if (size * largest_sum < kNegligible * step) {
    // The bias alone, in parts of a step; what is beyond all results stays so.
    const float scale = step / 128;
    require(std::isnormal(scale), "its result_scale is " + std::to_string(step * 127) + ", which is too small");
    const double parts = std::clamp(std::round(bias / double{scale}), -65536.0, 65536.0);
    return {.scale = scale, .bias = static_cast<int32_t>(parts), .sign = 0};
  }
  const double per_step = size / step;
  require(std::isnormal(factor) && per_step < kLargestScale,
          "its sums are multiplied by " + std::to_string(per_step) + " steps, expected less than 256");
  const double exact = bias / size;
  const double rounded = std::round(exact);
  // Half a step moves a rounded result by one step at most.
  require(std::abs(exact - rounded) * per_step < 0.49, "its bias lies between the integers that XNNPACK adds");
  require(std::abs(rounded) + largest_sum < std::numeric_limits<int32_t>::max(),
          "its sums and bias have more than 32 bits");
  return {.scale = static_cast<float>(size), .bias = static_cast<int32_t>(rounded), .sign = factor < 0 ? -1 : 1};
}

}  // namespace coracle_xnnpack
