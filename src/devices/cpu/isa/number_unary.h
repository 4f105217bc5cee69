// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

enum class NumberUnaryKind : int32_t {
  kAbs,       // the smallest integer stays
  kNegative,  // the same
  kNot,       // of the bits, of bool's one bit
  // The result is bool from here on.
  kLogicalNot,
  kIsNan,
  kIsInf,
  kIsFinite,
};

/// y[i] = f(x[i]) for i < count. y may be x where the types are the same, but must not overlap it otherwise.
using NumberUnaryLoop = void (*)(const void* x, void* y, size_t count);

/// y[i] = condition[i] != 0 ? a[i] : b[i]. Each step is 1, or 0 for an operand of one element. No overlap.
using SelectLoop = void (*)(const uint8_t* condition, const void* a, int64_t a_step, const void* b, int64_t b_step,
                            void* y, size_t count);

/// y[i] = min(max(x[i], *low), *high). y may be x.
using ClipLoop = void (*)(const void* x, const void* low, const void* high, void* y, size_t count);

struct NumberUnaryFunctions {
  /// Null where the kind has no meaning for the type, or the type is a half.
  NumberUnaryLoop (*loop)(NumberUnaryKind kind, NumberType type);
  /// For elements of 1, 2, 4 or 8 bytes; else null.
  SelectLoop (*select)(size_t element_bytes);
  /// For int32 and int64; else null.
  ClipLoop (*clip)(NumberType type);
};

CORACLE_ISA_TABLES(NumberUnaryFunctions, number_unary)

}  // namespace coracle::internal::cpu
