// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/over.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

constexpr size_t kSortColumns = 16;    ///< that are sorted together
constexpr size_t kMostOfColumns = 16;  ///< elements that are wanted of each

/// Sorting of one row of n < 2^32 elements. Equal ones keep their order, zeros of both signs are equal, NaN counts as
/// the largest and equals NaN. `deadline`: see over().
struct SortFunctions {
  /// The first k elements in sorted order and their positions, which may be null. `tied`, which may be null too,
  /// becomes whether equal ones are among the first k elements or just behind them.
  void (*row)(NumberType type, bool descending, const void* x, size_t n, size_t k, void* values, int64_t* positions,
              bool* tied, void* scratch, const Deadline* deadline);
  /// The same for `width` columns side by side of [n, step], at most kSortColumns of them and kMostOfColumns elements
  /// of each, as sorts_columns() says. The results are [k, step], `tied` has `width` elements.
  void (*columns)(NumberType type, bool descending, const void* x, size_t n, size_t step, size_t width, size_t k,
                  void* values, int64_t* positions, bool* tied, const Deadline* deadline);
  /// Bytes of scratch for a row, a multiple of 64.
  size_t (*scratch)(NumberType type, size_t n, size_t k);
};

inline bool sorts_columns(NumberType type, int64_t k) {
  return (type == NumberType::kFloat32 || type == NumberType::kInt64) && k <= static_cast<int64_t>(kMostOfColumns);
}

CORACLE_ISA_TABLES(SortFunctions, sort)

}  // namespace coracle::internal::cpu
