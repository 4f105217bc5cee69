// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/over.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// How running sums run.
struct ScanForm {
  bool exclusive = false;              ///< without the element itself
  bool reverse = false;                ///< from the end
  const Deadline* deadline = nullptr;  ///< of the run; null: none
};

struct ScanFunctions {
  /// Running sums along each of `rows` contiguous rows of n. Real numbers are added in double. y may be x.
  void (*rows)(NumberType type, ScanForm form, const void* x, void* y, size_t rows, size_t n);
  /// The same along the first axis of [n, inner], for columns [begin, end).
  void (*strided)(NumberType type, ScanForm form, const void* x, void* y, size_t n, size_t inner, size_t begin,
                  size_t end);
};

/// Types that have running sums here.

CORACLE_ISA_TABLES(ScanFunctions, scan)

}  // namespace coracle::internal::cpu
