// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// c[r, n] = sum over k < depth of a[r, k] * b[k, n], read where the operands lie; columns of b and c are adjacent.
template <class T>
struct DirectProduct {
  const T* a = nullptr;
  int64_t a_row = 0, a_depth = 0;  ///< elements from row to row, from k to k + 1
  const T* b = nullptr;
  int64_t b_depth = 0;
  T* c = nullptr;
  int64_t c_row = 0;
  int64_t rows = 0, depth = 0;
};

/// y[r * y_step] = sum over k < depth of a[r, k] * x[k]; the elements of a row are adjacent.
template <class T>
struct RowDots {
  const T* a = nullptr;
  int64_t a_row = 0;
  const T* x = nullptr;
  T* y = nullptr;
  int64_t y_step = 1;
  int64_t depth = 0;
};

/// Products without packing: of few rows, of vectors, and of float64. Each sum is made in one order that depends on its
/// depth alone: rows and columns may be split among calls at will without changing a bit.
struct ProductFunctions {
  void (*direct)(const DirectProduct<float>& p, int64_t column_begin, int64_t column_end);
  void (*direct_double)(const DirectProduct<double>& p, int64_t column_begin, int64_t column_end);
  void (*dots)(const RowDots<float>& p, int64_t begin, int64_t end);
  void (*dots_double)(const RowDots<double>& p, int64_t begin, int64_t end);
};

CORACLE_ISA_TABLES(ProductFunctions, product)

}  // namespace coracle::internal::cpu
