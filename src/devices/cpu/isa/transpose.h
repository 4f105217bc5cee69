// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// y contiguous with extents `dims`, outermost first; one step along axis a of y is `strides[a]` elements in x (0 and
/// negative are allowed). Callers merge axes that stay together: the fewer axes, the longer the inner loops.
struct Permutation {
  static constexpr int kMaxRank = 9;
  int rank = 0;
  int64_t dims[kMaxRank] = {};
  int64_t strides[kMaxRank] = {};
};

/// Elements of `element_size` 1, 2, 4 or 8 bytes. x and y do not overlap.
struct TransposeFunctions {
  /// y[c * y_stride + r] = x[r * x_stride + c] for r < rows, c < columns; strides in elements. A relayout between [C,
  /// HW] and [HW, C] is one call per image; a part of the rows or columns is one with offset pointers.
  void (*matrix)(size_t element_size, const void* x, size_t x_stride, void* y, size_t y_stride, size_t rows,
                 size_t columns);
  /// The part [begin, end) of y's outermost axis. A permutation of rank 0 is one element, with one part.
  void (*permute)(size_t element_size, const Permutation& p, const void* x, void* y, int64_t begin, int64_t end);
};

CORACLE_ISA_TABLES(TransposeFunctions, transpose)

}  // namespace coracle::internal::cpu
