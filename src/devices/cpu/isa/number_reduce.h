// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

enum class NumberReduceKind : int32_t {
  kSum,  // integers wrap around
  kProduct,
  kMax,  // NaN stays, as in the next three
  kMin,
  kMaxAbs,  // of real numbers
  kMinAbs,
  kAll,  // the result is bool, as the next
  kAny,
};

struct NumberReduceFunctions {
  /// Whether there is a loop for elements of type `from` with results of type `to`. Integers go to their own type,
  /// or to int64 (sums and products); float64 to its own type; for most of float32 see reduce.h.
  bool (*has)(NumberReduceKind kind, NumberType from, NumberType to);
  /// y[r] over each of `rows` contiguous rows of n.
  void (*rows)(NumberReduceKind kind, NumberType from, NumberType to, const void* x, void* y, size_t rows, size_t n);
  /// y[i] over the first axis of [n, inner], for i in [begin, end).
  void (*strided)(NumberReduceKind kind, NumberType from, NumberType to, const void* x, void* y, size_t n, size_t inner,
                  size_t begin, size_t end);
  /// Index of the largest (smallest) integer, the first of equals, in the same two forms.
  void (*arg_rows)(bool largest, NumberType from, const void* x, int64_t* y, size_t rows, size_t n);
  void (*arg_strided)(bool largest, NumberType from, const void* x, int64_t* y, size_t n, size_t inner, size_t begin,
                      size_t end);
};

CORACLE_ISA_TABLES(NumberReduceFunctions, number_reduce)

}  // namespace coracle::internal::cpu
