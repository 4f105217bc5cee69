// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace coracle::internal::cpu {

/// Element types of kernels that take several.
enum class NumberType : int32_t {
  kBool,  // one byte, 0 or 1
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
};

}  // namespace coracle::internal::cpu
