// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/index/sorting.h"

/// Which of equal elements Paddle's top-k and k-th value take: what GNU's std::nth_element, std::partial_sort and
/// std::sort leave. Where no elements are equal any selection gives the same.
namespace coracle::internal {

struct Ranked {
  int64_t key;  ///< see key_of
  int64_t index;
};

/// How Paddle selects the first k of n elements.
struct Selection {
  bool descending = true;
  bool sorted = true;            ///< else they stay as they are found
  bool by_partial_sort = false;  ///< also where k is not small against n
};

/// Whether one comes before another; the check, which may be null, counts comparisons.
struct RankedBefore {
  LoopCheck* check;
  bool operator()(const Ranked& a, const Ranked& b) const {
    if (check != nullptr) step_of_sort(*check);
    return a.key < b.key;
  }
};

/// Brings the first k (at least 1) of n elements to the front.
void select(Ranked* elements, int64_t n, int64_t k, const Selection& how, LoopCheck* check);
/// The same of the k-th alone, which is then where it belongs.
void take_nth(Ranked* elements, int64_t n, int64_t k, LoopCheck* check);

/// The first k of the n elements of a row and their indices. room: of n elements.
template <class T>
void select_row(const T* row, int64_t row_step, int64_t n, int64_t k, const Selection& how, Ranked* room, T* values,
                int64_t* indices, int64_t result_step) {
  const int64_t flip = how.descending ? -1 : 0;
  for (int64_t i = 0; i < n; ++i) room[i] = {key_of(row[i * row_step]) ^ flip, i};
  select(room, n, k, how, nullptr);
  for (int64_t j = 0; j < k; ++j) {
    values[j * result_step] = row[room[j].index * row_step];
    if (indices != nullptr) indices[j * result_step] = room[j].index;
  }
}

/// The first k elements of each row of x along `axis` and their int64 indices, which may be null.
void take_selected(const RunContext& context, const Tensor& x, int axis, int64_t k, const Selection& how,
                   Tensor& values, Tensor* indices);

}  // namespace coracle::internal
