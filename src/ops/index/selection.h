// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/gnu_order.h"
#include "ops/index/sorting.h"

/// Which of equal elements Paddle's top-k and k-th value take: what GNU's std::nth_element, std::partial_sort and
/// std::sort leave. Where no elements are equal any selection gives the same.
namespace coracle::internal {

template <class T>
struct Ranked {
  T value;
  int64_t index;
};

/// How Paddle selects the first k of n elements.
struct Selection {
  bool descending = true;
  bool sorted = true;            ///< else they stay as they are found
  bool by_partial_sort = false;  ///< also where k is not small against n
};

template <class T>
bool equally_ranked(T a, T b) {
  return a == b || (a != a && b != b);
}

/// Whether equal ones are among the first k of n elements or just behind them. `taken`: those k, in order.
template <class T>
bool has_ties(const T* row, int64_t step, int64_t n, const T* taken, int64_t taken_step, int64_t k) {
  for (int64_t j = 1; j < k; ++j) {
    if (equally_ranked(taken[(j - 1) * taken_step], taken[j * taken_step])) return true;
  }
  const T last = taken[(k - 1) * taken_step];
  int64_t same = 0;
  for (int64_t i = 0; i < n; ++i) same += equally_ranked(row[i * step], last) ? 1 : 0;
  return same > 1;
}

/// Brings the first k (at least 1) of n elements to the front; step() is called for each comparison.
template <class T, class Step>
void select(Ranked<T>* elements, int64_t n, int64_t k, const Selection& how, const Step& step) {
  const auto before = [&, descending = how.descending](const Ranked<T>& a, const Ranked<T>& b) {
    step();
    return sorts_before<T>(a.value, b.value, descending);
  };
  if (how.by_partial_sort || k * 64 < n) {
    gnu::partial_sort(elements, elements + k, elements + n, before);
    return;
  }
  gnu::nth_element(elements, elements + k - 1, elements + n, before);
  if (how.sorted) gnu::sort(elements, elements + k - 1, before);
}

/// The first k of the n elements of a row and their indices. room: of n elements.
template <class T, class Step>
void select_row(const T* row, int64_t row_step, int64_t n, int64_t k, const Selection& how, Ranked<T>* room, T* values,
                int64_t* indices, int64_t result_step, const Step& step) {
  for (int64_t i = 0; i < n; ++i) room[i] = {row[i * row_step], i};
  select(room, n, k, how, step);
  for (int64_t j = 0; j < k; ++j) {
    values[j * result_step] = room[j].value;
    if (indices != nullptr) indices[j * result_step] = room[j].index;
  }
}

/// The first k elements of each row of x along `axis` and their int64 indices, which may be null.
void take_selected(const RunContext& context, const Tensor& x, int axis, int64_t k, const Selection& how,
                   Tensor& values, Tensor* indices);

}  // namespace coracle::internal
