// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"
#include "devices/cpu/isa/unary.h"

namespace coracle::internal::cpu {

enum class BinaryKind : int32_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMaximum,  // a > b ? a : b, so b where either is NaN
  kMinimum,  // a < b ? a : b
  kPow,      // a^b
  kPrelu,    // a > 0 ? a : b * a
};

/// Steps applied to each result.
struct UnaryChain {
  const UnaryStep* steps = nullptr;
  size_t count = 0;
};

/// y = after(a op b) in row-major order. y may be a or b where that has y's shape, but must not overlap it otherwise.
/// A caller composes other broadcasts from these.
struct BinaryFunctions {
  /// Both of `count` elements.
  void (*same)(BinaryKind kind, const float* a, const float* b, float* y, size_t count, UnaryChain after);
  void (*scalar_right)(BinaryKind kind, const float* a, float b, float* y, size_t count, UnaryChain after);
  void (*scalar_left)(BinaryKind kind, float a, const float* b, float* y, size_t count, UnaryChain after);
  /// One operand is [rows, columns], the other one row of `columns` elements (a bias).
  void (*row_right)(BinaryKind kind, const float* a, const float* row, float* y, size_t rows, size_t columns,
                    UnaryChain after);
  void (*row_left)(BinaryKind kind, const float* row, const float* b, float* y, size_t rows, size_t columns,
                   UnaryChain after);
  /// One operand is [rows, columns], the other [rows, 1].
  void (*column_right)(BinaryKind kind, const float* a, const float* column, float* y, size_t rows, size_t columns,
                       UnaryChain after);
  void (*column_left)(BinaryKind kind, const float* column, const float* b, float* y, size_t rows, size_t columns,
                      UnaryChain after);
};

CORACLE_ISA_TABLES(BinaryFunctions, binary)

}  // namespace coracle::internal::cpu
