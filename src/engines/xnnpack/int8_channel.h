// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace coracle_xnnpack {

/// A channel of a product of int8 numbers as XNNPACK computes it: sums of weights times `sign`, and `bias`, are
/// multiplied by scale / step and rounded.
struct Int8Channel {
  float scale = 0;
  int32_t bias = 0;
  int sign = 1;  ///< 0: no result depends on the sums
};

/// The largest product of an operand, from -128 on, and a weight, from -127 on.
inline constexpr double kLargestInt8Product = 128 * 127;

/// The channel whose sums of `products` products are to be multiplied by `factor`, to which `bias` is added, in results
/// of `step` each. Throws Refused where a result could be more than a step away from that.
Int8Channel int8_channel(float factor, float bias, float step, size_t products);

}  // namespace coracle_xnnpack
