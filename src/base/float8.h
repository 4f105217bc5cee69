// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace coracle::internal {

/// A sign bit, an exponent and `kFraction` bits of fraction, with numbers below the smallest exponent as IEEE has them.
template <int kFraction, int kBias>
struct SmallFloat {
  /// The number of a code whose exponent is not a special one.
  static float to_float(uint8_t code) {
    const uint32_t sign = static_cast<uint32_t>(code & 0x80U) << 24U;
    const uint32_t exponent = (code & 0x7FU) >> kFraction;
    const uint32_t fraction = code & kFractionBits;
    if (exponent == 0) {  // in steps of the smallest number, 2^(1 - bias - fraction bits)
      const float step = std::bit_cast<float>(static_cast<uint32_t>(128 - kBias - kFraction) << 23U);
      return std::bit_cast<float>(std::bit_cast<uint32_t>(static_cast<float>(fraction) * step) | sign);
    }
    return std::bit_cast<float>(sign | (exponent + kShiftOfBias) << 23U | fraction << (23U - kFraction));
  }

  /// The code of a float32 without sign, given as its bits, rounded to nearest even.
  static uint8_t from_magnitude(uint32_t bits) {
    const uint32_t exponent = bits >> 23U;
    const uint32_t mantissa = (bits & 0x7FFFFFU) | 0x800000U;
    const bool normal = exponent > kShiftOfBias;
    const uint32_t shift = 23U - kFraction + (normal ? 0U : kShiftOfBias + 1U - exponent);
    if (shift > 24U) return 0;  // less than half of the smallest number
    uint32_t code = mantissa >> shift;
    const uint32_t rest = mantissa & ((1U << shift) - 1U);
    const uint32_t middle = 1U << (shift - 1U);
    if (rest > middle || (rest == middle && (code & 1U) != 0)) ++code;
    if (normal) code += (exponent - kShiftOfBias - 1U) << static_cast<uint32_t>(kFraction);
    return static_cast<uint8_t>(code);
  }

 private:
  static constexpr uint32_t kFractionBits = (1U << kFraction) - 1U;
  static constexpr uint32_t kShiftOfBias = 127 - kBias;
};

/// Paddle's float8_e4m3fn: 4 bits of exponent, 3 of fraction, no infinity, NaN is 0x7F and 0xFF. Numbers from 480 on
/// become 448, and so do infinity and NaN, as in Paddle; those between 464 and 480 round to NaN, as in Paddle.
struct Float8E4m3 {
  uint8_t bits = 0;

  Float8E4m3() = default;
  explicit Float8E4m3(float value) : bits(from_float(value)) {}
  explicit operator float() const { return to_float(bits); }

  static float to_float(uint8_t code) {
    if ((code & 0x7FU) == 0x7FU) return std::bit_cast<float>(static_cast<uint32_t>(code & 0x80U) << 24U | 0x7FF00000U);
    return SmallFloat<3, 7>::to_float(code);
  }
  static uint8_t from_float(float value) {
    const auto f = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint8_t>((f >> 24U) & 0x80U);
    const uint32_t magnitude = f & 0x7FFFFFFFU;
    if (magnitude >= 0x43F00000U) return sign | 0x7EU;  // 480
    return sign | SmallFloat<3, 7>::from_magnitude(magnitude);
  }
};

/// Paddle's float8_e5m2: 5 bits of exponent, 2 of fraction, the upper half of a float16. Numbers from 65536 on become
/// 57344, and so does infinity, as in Paddle; those from 61440 on round to infinity. NaN becomes 0x7F.
struct Float8E5m2 {
  uint8_t bits = 0;

  Float8E5m2() = default;
  explicit Float8E5m2(float value) : bits(from_float(value)) {}
  explicit operator float() const { return to_float(bits); }

  static float to_float(uint8_t code) {
    if ((code & 0x7CU) == 0x7CU) {
      const uint32_t special = 0x7F800000U | static_cast<uint32_t>(code & 0x3U) << 21U;
      return std::bit_cast<float>(static_cast<uint32_t>(code & 0x80U) << 24U | special);
    }
    return SmallFloat<2, 15>::to_float(code);
  }
  static uint8_t from_float(float value) {
    const auto f = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint8_t>((f >> 24U) & 0x80U);
    const uint32_t magnitude = f & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return sign | 0x7FU;
    if (magnitude >= 0x47800000U) return sign | 0x7BU;  // 65536
    return sign | SmallFloat<2, 15>::from_magnitude(magnitude);
  }
};

}  // namespace coracle::internal
