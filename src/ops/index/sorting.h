// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/common/joining.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// True if `a` comes before `b`: NaN counts as the largest.
template <class T>
bool sorts_before(T a, T b, bool descending) {
  const bool a_nan = a != a;
  const bool b_nan = b != b;
  if (descending) return (a_nan && !b_nan) || a > b;
  return (!a_nan && b_nan) || a < b;
}

/// LoopCheck::step for comparisons, of which the code of a sort has many copies. They refer to the check: a sort copies
/// its comparison.
[[gnu::noinline]] inline void step_of_sort(LoopCheck& check) { check.step(); }

/// f(row, order, outer, inner) for each row of x along `axis`: its values and their indices in sorted order (ties by
/// index). x may be a scalar.
template <class T, class F>
void each_sorted_row(const RunContext& context, const Tensor& x, int axis, bool descending, const F& f) {
  const Shape shape = x.shape().is_scalar() ? Shape{1} : x.shape();
  const Around around(shape, axis);
  Buffer<T> row(static_cast<size_t>(around.dim), context);
  Buffer<int64_t> order(row.size(), context);
  LoopCheck check(context);
  for (int64_t o = 0; o < around.outer; ++o) {
    for (int64_t i = 0; i < around.inner; ++i) {
      const int64_t first = o * around.dim * around.inner + i;
      for (size_t k = 0; k < row.size(); ++k) {
        check.step();
        row[k] = x.data<T>()[first + static_cast<int64_t>(k) * around.inner];
        order[k] = static_cast<int64_t>(k);
      }
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        step_of_sort(check);
        return sorts_before<T>(row[static_cast<size_t>(a)], row[static_cast<size_t>(b)], descending);
      });
      f(row, order, o, i);
    }
  }
}

/// The first k elements of each sorted row and their indices (int64); either result may be null.
void take_sorted(const RunContext& context, const Tensor& x, int axis, bool descending, int64_t k, Tensor& values,
                 Tensor* indices);

/// A scalar's axis may be 0 or -1.
inline int sorting_axis(int64_t axis, const Shape& x) { return normalize_axis(axis, x.is_scalar() ? 1 : x.rank()); }

/// Results 0 (values) and 1 (their int64 indices) have one element for each row of x along `axis_value`.
inline void infer_one_per_row(InferArgs& a, int64_t axis_value, bool keepdim) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    const int axis = sorting_axis(axis_value, y);
    if (!y.is_scalar()) {
      if (keepdim) {
        y[axis] = 1;
      } else {
        y.erase(axis);
      }
    }
  }
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt64, y);
  share_lod(a, 1, 0);
}

/// The same computed: pick(row, order) gives the index of the element taken.
template <class F>
void reference_one_per_row(ReferenceArgs& a, int64_t axis_value, const F& pick) {
  const Tensor& x = a.in(0);
  const int axis = sorting_axis(axis_value, x.shape());
  const int64_t inner = x.shape().is_scalar() ? 1 : x.shape().count(axis + 1, x.shape().rank());
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    each_sorted_row<T>(a.context(), x, axis, false, [&](const auto& row, const auto& order, int64_t o, int64_t i) {
      const int64_t taken = pick(row, order);
      a.out(0).data<T>()[o * inner + i] = row[static_cast<size_t>(taken)];
      a.out(1).data<int64_t>()[o * inner + i] = taken;
    });
  });
}

}  // namespace coracle::internal
