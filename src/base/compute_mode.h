// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

/// How products of float32 numbers may be computed: what a user asks for, and what a kernel does.
namespace coracle {

/// How a kernel multiplies float32: its compute mode. The schemes on matrix tiles split each number into parts of
/// bfloat16, the largest first, and add the products of the larger parts in float32. Errors are relative to the
/// result's root mean square, for normal data (docs/performance.md).
enum class ComputeMode : uint8_t {
  kFloat32,  ///< multiply-adds of float32
  kBf16x6,   ///< three parts, six products: as exact as kFloat32
  kBf16x3,   ///< two parts, three products: 4e-6
  kBf16,     ///< one part: 2e-3
};

enum class Precision : uint8_t {
  kStrict,   ///< multiply-adds only
  kDefault,  ///< what is as exact as those
  kHigh,     ///< errors of 4e-6
  kBf16,     ///< operands of products rounded to bfloat16
};

/// The fastest products that a precision allows.
constexpr ComputeMode compute_mode_of(Precision precision) {
  switch (precision) {
    case Precision::kDefault: return ComputeMode::kBf16x6;
    case Precision::kHigh: return ComputeMode::kBf16x3;
    case Precision::kBf16: return ComputeMode::kBf16;
    default: return ComputeMode::kFloat32;
  }
}

std::string_view name_of(Precision precision);
std::optional<Precision> precision_of(std::string_view name);
/// Of all values, in order.
std::span<const std::string_view> names_of(Precision precision);

}  // namespace coracle
