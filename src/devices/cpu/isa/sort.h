// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::cpu {

/// Sorting of one row of n < 2^32 elements. Equal ones keep their order, zeros of both signs are equal, NaN counts as
/// the largest and equals NaN.
struct SortFunctions {
  /// The first k elements in sorted order and their positions, which may be null.
  void (*row)(NumberType type, bool descending, const void* x, size_t n, size_t k, void* values, int64_t* positions,
              void* scratch);
  /// Bytes of scratch for that, a multiple of 64.
  size_t (*scratch)(NumberType type, size_t n, size_t k);
};

/// Types that can be sorted: all but bool and halves.
inline bool sorts(NumberType type) {
  return type != NumberType::kBool && type != NumberType::kFloat16 && type != NumberType::kBfloat16;
}

CORACLE_ISA_TABLES(SortFunctions, sort)

}  // namespace coracle::cpu
