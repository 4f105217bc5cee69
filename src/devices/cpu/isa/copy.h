// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// Rows of a table, picked by ids.
struct GatherRows {
  const void* table = nullptr;
  int64_t table_rows = 0;
  size_t row_bytes = 0;
  int64_t zero_id = INT64_MIN;  ///< this id gives zeros (an embedding's padding_idx)
  void* y = nullptr;
};

struct CopyFunctions {
  /// `rows` blocks of row_bytes; strides in bytes. Source and destination do not overlap.
  void (*rows)(const void* x, size_t x_stride, void* y, size_t y_stride, size_t rows, size_t row_bytes);
  /// Row i of y is row ids[i] of the table, for i < count. Returns the first i whose id is outside [0, table_rows),
  /// where it stops, or -1.
  int64_t (*gather_int64)(const GatherRows& p, const int64_t* ids, int64_t count);
  int64_t (*gather_int32)(const GatherRows& p, const int32_t* ids, int64_t count);
};

CORACLE_ISA_TABLES(CopyFunctions, copy)

}  // namespace coracle::internal::cpu
