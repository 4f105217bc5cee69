// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

struct ConvertFunctions {
  /// y[i] = x[i] as the other type. Floating to integer truncates towards zero, to bool is x != 0; to a smaller
  /// floating type rounds to nearest even; an integer too large for the other type loses its upper bits. What does not
  /// fit an integer is the machine's choice: on x86 the smallest int32 (int64), of which smaller types keep the low
  /// bits. x and y do not overlap.
  void (*convert)(NumberType from, NumberType to, const void* x, void* y, size_t count);
};

CORACLE_ISA_TABLES(ConvertFunctions, convert)

}  // namespace coracle::internal::cpu
