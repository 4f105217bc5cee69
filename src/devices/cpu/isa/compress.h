// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/number_type.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// Picking what is not zero. A mask has bit i % 64 of word i / 64 for element i; bits past the end are 0.
struct CompressFunctions {
  /// Makes the mask of n elements and gives how many are not zero. Any type but halves.
  int64_t (*mask)(NumberType type, const void* x, size_t n, uint64_t* mask);
  /// The positions of the set bits of `words` words, counted from `first`.
  void (*positions)(const uint64_t* mask, size_t words, int64_t first, int64_t* y);
  /// Elements of 1, 2, 4 or 8 bytes whose bits are set, one behind the other.
  void (*elements)(const uint64_t* mask, size_t words, const void* x, size_t element, void* y);
};

CORACLE_ISA_TABLES(CompressFunctions, compress)

}  // namespace coracle::internal::cpu
