// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace coracle::internal {

/// How products of float32 numbers may be computed, and what engines may do with quantised operators: what a user asks
/// for. Errors are relative to the result's root mean square, for normal data (docs/performance.md).
enum class Precision : uint8_t {
  kStrict,   ///< multiply-adds only
  kDefault,  ///< what is as exact as those
  kInt8,     ///< the same; engines may compute quantised operators with integers of their own
  kHigh,     ///< errors of 4e-6
  kTf32,     ///< operands of products rounded to 11 bits (TF32) on GPUs: errors of 2e-4; as kHigh elsewhere
  kBf16,     ///< operands of products rounded to bfloat16
  kFp16,     ///< tensors of float16 around products on devices: errors of 1e-3 and more; as kHigh elsewhere
};

/// Whether it allows products that are less exact than those of float32.
constexpr bool rounds_products(Precision precision) { return precision >= Precision::kHigh; }

std::string_view name_of(Precision precision);
std::optional<Precision> precision_of(std::string_view name);
/// Of all values, in order.
std::span<const std::string_view> names_of(Precision precision);

}  // namespace coracle::internal
