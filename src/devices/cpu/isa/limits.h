// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// What a core does at best.
struct LimitFunctions {
  /// Multiply-adds on registers only, `steps` on each of as many sums as hide their latency. Returns the float32
  /// operations done, two for a multiply-add; *sum keeps the work from being left out.
  int64_t (*multiply_add)(int64_t steps, float* sum);
  /// The sum of `count` floats, read one after the other.
  float (*read)(const float* x, int64_t count);
};

CORACLE_ISA_TABLES(LimitFunctions, limits)

}  // namespace coracle::internal::cpu
