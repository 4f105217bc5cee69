// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace coracle::internal {

/// IEEE binary16 as a value that converts from and to float (round to nearest even).
struct Float16 {
  uint16_t bits = 0;

  Float16() = default;
  Float16(float value) : bits(from_float(value)) {}  // NOLINT(google-explicit-constructor): acts as a number
  operator float() const { return to_float(bits); }  // NOLINT(google-explicit-constructor)

  static float to_float(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000U) << 16U;
    uint32_t exponent = (h >> 10U) & 0x1FU;
    uint32_t mantissa = h & 0x3FFU;
    if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
    if (exponent == 0) {
      if (mantissa == 0) return std::bit_cast<float>(sign);
      exponent = 1;
      while ((mantissa & 0x400U) == 0) {
        mantissa <<= 1U;
        --exponent;
      }
      mantissa &= 0x3FFU;
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  }

  static uint16_t from_float(float value) {
    const auto f = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>((f >> 16U) & 0x8000U);
    const uint32_t magnitude = f & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) return sign | 0x7E00U;
    if (magnitude >= 0x477FF000U) return sign | 0x7C00U;  // rounds to infinity
    if (magnitude < 0x33000001U) return sign;             // rounds to zero
    const uint32_t exponent = magnitude >> 23U;
    const uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
    const uint32_t shift = exponent < 113U ? 126U - exponent : 13U;
    uint32_t half = mantissa >> shift;
    const uint32_t rest = mantissa & ((1U << shift) - 1U);
    const uint32_t middle = 1U << (shift - 1U);
    if (rest > middle || (rest == middle && (half & 1U) != 0)) ++half;
    if (exponent >= 113U) half += (exponent - 113U) << 10U;
    return static_cast<uint16_t>(sign | half);
  }
};

/// The upper half of a float32 as a value that converts from and to float (round to nearest even).
struct Bfloat16 {
  uint16_t bits = 0;

  Bfloat16() = default;
  Bfloat16(float value) : bits(from_float(value)) {}  // NOLINT(google-explicit-constructor): acts as a number
  operator float() const {                            // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U);
  }

  static uint16_t from_float(float value) {
    const auto f = std::bit_cast<uint32_t>(value);
    if ((f & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<uint16_t>((f >> 16U) | 0x40U);
    return static_cast<uint16_t>((f + 0x7FFFU + ((f >> 16U) & 1U)) >> 16U);
  }
};

}  // namespace coracle::internal
