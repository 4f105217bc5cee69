// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// What is done with two numbers of one type. Integers wrap around, and divided by zero give zero.
enum class NumberBinaryKind : int32_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // truncated for integers
  kMaximum,
  kMinimum,
  kFloorDivide,
  kRemainder,  // with the sign of the divisor
  kAnd,        // of the bits, as the next two
  kOr,
  kXor,
  // The result is bool from here on.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
};

inline bool gives_bool(NumberBinaryKind kind) { return kind >= NumberBinaryKind::kEqual; }

/// y[i] = f(a[i], b[i]) for i < count. y may be a or b where the types are the same, but must not overlap them
/// otherwise.
using NumberBinaryLoop = void (*)(const void* a, const void* b, void* y, size_t count);

struct NumberBinaryLoops {
  NumberBinaryLoop same = nullptr;
  NumberBinaryLoop scalar_right = nullptr;  ///< b is one element
  NumberBinaryLoop scalar_left = nullptr;   ///< a is one element
};

struct NumberBinaryFunctions {
  /// All null where the kind has no meaning for the type, or the type is a half.
  NumberBinaryLoops (*loops)(NumberBinaryKind kind, NumberType type);
};

CORACLE_ISA_TABLES(NumberBinaryFunctions, number_binary)

}  // namespace coracle::internal::cpu
