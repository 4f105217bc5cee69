// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor by tuples of indices: where each begins, in rows; then rows are taken, or others put in their places.
// Several that go to one place are put there in their order, which sort.cl has found.
// Defined by the host: INDEX, DEPTH (indices of a tuple), SIZES(f) is f(d) for each of the first dimensions. Of what
// takes and puts rows TYPE; REAL, ADDS, KEEPS (1: they are added to what x has there, else to 0).

#include "faults.cl"
#include "types.cl"

#define SIZE_PARAMETER(d) , const int size##d
#define ADD_INDEX(d)                                                                                      \
  {                                                                                                       \
    const INDEX i = index[index_begin + (offset_t)id * DEPTH + d];                                         \
    const i64 from_front = i < 0 ? (i64)i + size##d : (i64)i;                                              \
    const int is_there = from_front >= 0 && from_front < size##d;                                          \
    if (!is_there) index_out_of_range(faults + faults_begin, operand, (i64)id * DEPTH + d, i, -size##d, size##d - 1); \
    row = row * size##d + (is_there ? (int)from_front : 0);                                                \
  }

KERNEL(indexed_rows)(GLOBAL int* RESTRICT rows, offset_t rows_begin, GLOBAL const INDEX* RESTRICT index, offset_t index_begin, const int count SIZES(SIZE_PARAMETER),
                     GLOBAL i64* faults, offset_t faults_begin, const int operand) {
  const int id = global_id(0);
  if (id >= count) return;
  int row = 0;
  SIZES(ADD_INDEX)
  rows[rows_begin + id] = row;
}

#ifdef TYPE
// Sums of integers wrap around.
#if REAL
#define SUM_OF(a, b) ((a) + (b))
#else
#define SUM_OF(a, b) ((REGISTER_OF(TYPE))((u64)(a) + (u64)(b)))
#endif

KERNEL(take_rows)(GLOBAL TYPE* RESTRICT y, offset_t y_begin, GLOBAL const TYPE* RESTRICT x, offset_t x_begin, GLOBAL const int* RESTRICT rows, offset_t rows_begin, const int count,
                  const int width) {
  const int id = global_id(0);
  if (id >= count) return;
  const int row = id / width;
  y[y_begin + id] = x[x_begin + (offset_t)rows[rows_begin + row] * width + (id - row * width)];
}

// An item takes an element of the result. `order` are the rows in the order of their places.
KERNEL(put_rows)(GLOBAL TYPE* y, offset_t y_begin, GLOBAL const TYPE* x, offset_t x_begin, GLOBAL const TYPE* RESTRICT updates, offset_t updates_begin, GLOBAL const int* RESTRICT rows,
                 offset_t rows_begin, GLOBAL const int* RESTRICT order, offset_t order_begin, const int count, const int width, const int indices) {
  const int id = global_id(0);
  if (id >= count) return;
  const int row = id / width;
  rows += rows_begin;
  order += order_begin;
  updates += updates_begin + (id - row * width);
  int low = 0;
  int high = indices;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (rows[order[middle]] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  REGISTER_OF(TYPE) v = LOAD_OF(TYPE, x, x_begin + id);
  if (!KEEPS && low < indices && rows[order[low]] == row) v = 0;
  for (; low < indices && rows[order[low]] == row; ++low) {
    const REGISTER_OF(TYPE) u = LOAD_OF(TYPE, updates, (offset_t)order[low] * width);
    v = ADDS ? SUM_OF(v, u) : u;
  }
  STORE_OF(TYPE, y, y_begin + id, v);
}
#endif
