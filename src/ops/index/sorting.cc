// SPDX-License-Identifier: Apache-2.0
#include "ops/index/sorting.h"

#include "base/long_loop.h"
#include "ops/index/selection.h"

namespace coracle::internal {

void take_sorted(const RunContext& context, const Tensor& x, int axis, bool descending, int64_t k, Tensor& values,
                 Tensor* indices) {
  const int64_t inner = x.shape().is_scalar() ? 1 : x.shape().count(axis + 1, x.shape().rank());
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    each_sorted_row<T>(context, x, axis, descending, [&](const auto& row, const auto& order, int64_t o, int64_t i) {
      for (int64_t j = 0; j < k; ++j) {
        const int64_t from = order[static_cast<size_t>(j)];
        const int64_t to = (o * k + j) * inner + i;
        values.data<T>()[to] = row[static_cast<size_t>(from)];
        if (indices != nullptr) indices->data<int64_t>()[to] = from;
      }
    });
  });
}

void take_selected(const RunContext& context, const Tensor& x, int axis, int64_t k, const Selection& how,
                   Tensor& values, Tensor* indices) {
  if (k < 1) return;
  const Around around(x.shape().is_scalar() ? Shape{1} : x.shape(), axis);
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    Buffer<Ranked<T>> room(static_cast<size_t>(around.dim), context);
    LoopCheck check(context);
    for (int64_t o = 0; o < around.outer; ++o) {
      for (int64_t i = 0; i < around.inner; ++i) {
        check.step();
        const int64_t to = o * k * around.inner + i;
        select_row<T>(x.data<T>() + o * around.dim * around.inner + i, around.inner, around.dim, k, how, room.data(),
                      values.data<T>() + to, indices == nullptr ? nullptr : indices->data<int64_t>() + to, around.inner,
                      [&] { step_of_sort(check); });
      }
    }
  });
}

}  // namespace coracle::internal
