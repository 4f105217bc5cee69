// SPDX-License-Identifier: Apache-2.0
#include "ops/index/sorting.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/gnu_order.h"
#include "ops/index/selection.h"

namespace coracle::internal {
namespace {

/// The element at position `from` of one tensor as that at `to` of another.
void copy_element(const Tensor& x, int64_t from, Tensor& y, int64_t to) {
  const size_t size = size_of(x.dtype());
  std::memcpy(static_cast<char*>(y.raw()) + static_cast<size_t>(to) * size,
              static_cast<const char*>(x.raw()) + static_cast<size_t>(from) * size, size);
}

/// f(first, o, i) for each row of x along `axis`, which may be a scalar: its first element is at `first`.
template <class F>
void each_row(const Around& around, const F& f) {
  for (int64_t o = 0; o < around.outer; ++o) {
    for (int64_t i = 0; i < around.inner; ++i) f(o * around.dim * around.inner + i, o, i);
  }
}

Around rows_around(const Tensor& x, int axis) { return {x.shape().is_scalar() ? Shape{1} : x.shape(), axis}; }

}  // namespace

int64_t sort_key(double x) {
  if (x != x) return kNanKey;
  const double zero_is_one = x + 0.0;  // of zeros: plus
  int64_t bits = 0;
  std::memcpy(&bits, &zero_is_one, sizeof(bits));
  return bits >= 0 ? bits : bits ^ std::numeric_limits<int64_t>::max();
}

void take_keys(const Tensor& x, int64_t first, int64_t step, bool descending, std::span<int64_t> to) {
  const int64_t flip = descending ? -1 : 0;
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = x.data<T>() + first;
    for (size_t i = 0; i < to.size(); ++i) to[i] = key_of(from[static_cast<int64_t>(i) * step]) ^ flip;
  });
}

void sort_positions(std::span<const int64_t> keys, std::span<int64_t> order, LoopCheck& check) {
  check.step(static_cast<int64_t>(order.size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    step_of_sort(check);
    return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)];
  });
}

void take_sorted(const RunContext& context, const Tensor& x, int axis, bool descending, int64_t k, Tensor& values,
                 Tensor* indices) {
  const Around around = rows_around(x, axis);
  Buffer<int64_t> keys(static_cast<size_t>(around.dim), context);
  Buffer<int64_t> order(keys.size(), context);
  LoopCheck check(context);
  each_row(around, [&](int64_t first, int64_t o, int64_t i) {
    check.step(around.dim);
    take_keys(x, first, around.inner, descending, keys);
    sort_positions(keys, order, check);
    for (int64_t j = 0; j < k; ++j) {
      const int64_t from = order[static_cast<size_t>(j)];
      const int64_t to = (o * k + j) * around.inner + i;
      copy_element(x, first + from * around.inner, values, to);
      if (indices != nullptr) indices->data<int64_t>()[to] = from;
    }
  });
}

void reference_one_per_row(ReferenceArgs& a, int64_t axis_value,
                           const std::function<int64_t(std::span<const int64_t> keys)>& pick) {
  const Tensor& x = a.in(0);
  const Around around = rows_around(x, sorting_axis(axis_value, x.shape()));
  Buffer<int64_t> keys(static_cast<size_t>(around.dim), a.context());
  LoopCheck check(a.context());
  each_row(around, [&](int64_t first, int64_t o, int64_t i) {
    check.step(around.dim);
    take_keys(x, first, around.inner, false, keys);
    const int64_t taken = pick(keys);
    copy_element(x, first + taken * around.inner, a.out(0), o * around.inner + i);
    a.out(1).data<int64_t>()[o * around.inner + i] = taken;
  });
}

void take_nth(Ranked* elements, int64_t n, int64_t k, LoopCheck* check) {
  gnu::nth_element(elements, elements + k - 1, elements + n, RankedBefore{check});
}

void select(Ranked* elements, int64_t n, int64_t k, const Selection& how, LoopCheck* check) {
  const RankedBefore before{check};
  if (how.by_partial_sort || k * 64 < n) {
    gnu::partial_sort(elements, elements + k, elements + n, before);
    return;
  }
  take_nth(elements, n, k, check);
  if (how.sorted) gnu::sort(elements, elements + k - 1, before);
}

void take_selected(const RunContext& context, const Tensor& x, int axis, int64_t k, const Selection& how,
                   Tensor& values, Tensor* indices) {
  if (k < 1) return;
  const Around around = rows_around(x, axis);
  Buffer<int64_t> keys(static_cast<size_t>(around.dim), context);
  Buffer<Ranked> room(keys.size(), context);
  LoopCheck check(context);
  each_row(around, [&](int64_t first, int64_t o, int64_t i) {
    check.step(around.dim);
    take_keys(x, first, around.inner, how.descending, keys);
    for (size_t j = 0; j < keys.size(); ++j) room[j] = {keys[j], static_cast<int64_t>(j)};
    select(room.data(), around.dim, k, how, &check);
    for (int64_t j = 0; j < k; ++j) {
      const int64_t from = room[static_cast<size_t>(j)].index;
      const int64_t to = (o * k + j) * around.inner + i;
      copy_element(x, first + from * around.inner, values, to);
      if (indices != nullptr) indices->data<int64_t>()[to] = from;
    }
  });
}

}  // namespace coracle::internal
