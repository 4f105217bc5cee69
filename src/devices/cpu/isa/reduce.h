// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/over.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

enum class ReduceKind : int32_t {
  kSum,
  kMean,
  kMax,
  kMin,
  kProduct,
  kSumSquares,
  kSumAbs,
};

/// Of nothing: 0 for sums, NaN for the mean, 1 for the product, minus and plus infinity for the largest and smallest.
/// `deadline`: see over().
struct ReduceFunctions {
  /// y[r] over each of `rows` contiguous rows of n.
  void (*rows)(ReduceKind kind, const float* x, float* y, size_t rows, size_t n, const Deadline* deadline);
  /// y[i] over the first axis of [n, inner], for i in [begin, end).
  void (*strided)(ReduceKind kind, const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                  const Deadline* deadline);
  /// Index of the largest (smallest) element; the first of equals. NaN is passed over; 0 if there is nothing else.
  void (*arg_rows)(bool largest, const float* x, int64_t* y, size_t rows, size_t n, const Deadline* deadline);
  void (*arg_strided)(bool largest, const float* x, int64_t* y, size_t n, size_t inner, size_t begin, size_t end,
                      const Deadline* deadline);
};

CORACLE_ISA_TABLES(ReduceFunctions, reduce)

}  // namespace coracle::internal::cpu
