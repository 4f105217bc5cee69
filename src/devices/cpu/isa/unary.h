// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_steps.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

struct UnaryFunctions {
  /// y[i] = f(x[i]). y may be x, but must not overlap it otherwise.
  void (*apply)(const UnaryStep& step, const float* x, float* y, size_t count);
  /// The steps one after the other on each element, in one pass over memory. Same bits as one apply per step.
  void (*chain)(const UnaryStep* steps, size_t step_count, const float* x, float* y, size_t count);
};

CORACLE_ISA_TABLES(UnaryFunctions, unary)

}  // namespace coracle::internal::cpu
