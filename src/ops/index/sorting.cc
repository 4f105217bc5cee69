// SPDX-License-Identifier: Apache-2.0
#include "ops/index/sorting.h"

namespace coracle {

void take_sorted(const Tensor& x, int axis, bool descending, int64_t k, Tensor& values, Tensor* indices) {
  const int64_t inner = x.shape().is_scalar() ? 1 : x.shape().count(axis + 1, x.shape().rank());
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    each_sorted_row<T>(x, axis, descending, [&](const auto& row, const auto& order, int64_t o, int64_t i) {
      for (int64_t j = 0; j < k; ++j) {
        const int64_t from = order[static_cast<size_t>(j)];
        const int64_t to = (o * k + j) * inner + i;
        values.data<T>()[to] = row[static_cast<size_t>(from)];
        if (indices != nullptr) indices->data<int64_t>()[to] = from;
      }
    });
  });
}

}  // namespace coracle
