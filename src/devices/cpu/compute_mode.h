// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/precision.h"

namespace coracle::internal::cpu {

/// How a kernel multiplies float32. The schemes on matrix tiles split each number into parts of bfloat16, the largest
/// first, and add the products of the larger parts in float32. Errors are relative to the result's root mean square,
/// for normal data (docs/performance.md).
enum class ComputeMode : uint8_t {
  kFloat32,  ///< multiply-adds of float32
  kBf16x6,   ///< three parts, six products: as exact as kFloat32
  kBf16x3,   ///< two parts, three products: 4e-6
  kBf16,     ///< one part: 2e-3
};

/// The fastest products that a precision allows.
constexpr ComputeMode compute_mode_of(Precision precision) {
  switch (precision) {
    case Precision::kDefault:
    case Precision::kInt8: return ComputeMode::kBf16x6;
    case Precision::kHigh:
    case Precision::kTf32:
    case Precision::kFp16: return ComputeMode::kBf16x3;
    case Precision::kBf16: return ComputeMode::kBf16;
    default: return ComputeMode::kFloat32;
  }
}

}  // namespace coracle::internal::cpu
