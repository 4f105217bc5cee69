// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/over.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// y may be x. `deadline`: see over().
struct SoftmaxFunctions {
  /// Over each of `rows` contiguous rows of n. In the first `vectors` elements of each, -64 stands for a difference
  /// from the largest that is no number (softmax_elements_in_vectors).
  void (*rows)(const float* x, float* y, size_t rows, size_t n, size_t vectors, const Deadline* deadline);
  /// The same without such elements.
  void (*log_rows)(const float* x, float* y, size_t rows, size_t n, const Deadline* deadline);
  /// Over the first axis of [n, inner], for the columns [begin, end). `vectors` as above.
  void (*strided)(const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end, size_t vectors,
                  const Deadline* deadline);
  void (*log_strided)(const float* x, float* y, size_t n, size_t inner, size_t begin, size_t end,
                      const Deadline* deadline);
};

CORACLE_ISA_TABLES(SoftmaxFunctions, softmax)

}  // namespace coracle::internal::cpu
