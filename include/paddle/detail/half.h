// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace phi {
namespace dtype {

/// The sixteen-bit floating-point types as elements of tensors: their bits, with conversion from and to float.
struct float16 {
  uint16_t x;

  float16() = default;
  explicit float16(float value) : x(bits_of(value)) {}
  explicit operator float() const {
    const int exponent = (x >> 10) & 31;
    const int mantissa = x & 1023;
    float value;
    if (exponent == 31) {
      value = mantissa == 0 ? INFINITY : NAN;
    } else {
      value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                            : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
    }
    return (x & 0x8000) != 0 ? -value : value;
  }

 private:
  /// Rounded to nearest, ties to even.
  static uint16_t bits_of(float value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const float size = std::fabs(value);
    if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
    if (size >= 65520.0F) return static_cast<uint16_t>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(size, &exponent);
    exponent = size == 0 || exponent < -13 ? -13 : exponent;
    const int scaled = static_cast<int>(std::nearbyint(std::ldexp(size, 11 - exponent)));
    return static_cast<uint16_t>(sign + ((exponent + 13) << 10) + scaled);
  }
};

struct bfloat16 {
  uint16_t x;

  bfloat16() = default;
  explicit bfloat16(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    const uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
    x = static_cast<uint16_t>((std::isnan(value) ? (bits | 0x400000) : rounded) >> 16);
  }
  explicit operator float() const {
    const uint32_t bits = static_cast<uint32_t>(x) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};

}  // namespace dtype
}  // namespace phi

namespace paddle {
namespace platform {
using float16 = phi::dtype::float16;
using bfloat16 = phi::dtype::bfloat16;
}  // namespace platform
using float16 = phi::dtype::float16;
using bfloat16 = phi::dtype::bfloat16;
}  // namespace paddle
