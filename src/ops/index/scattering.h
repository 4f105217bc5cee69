// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ops/elementwise/arithmetic.h"
#include "ops/index/gathering.h"

namespace coracle::internal {

/// Row i of `updates` (`width` elements) goes to element positions[i] of `out`: added, or written over.
inline void scatter_rows(const Tensor& updates, std::span<const int64_t> positions, int64_t width, bool add,
                         Tensor& out) {
  visit_real(out.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* from = updates.data<T>();
    for (const int64_t position : positions) {
      T* to = out.data<T>() + position;
      for (int64_t i = 0; i < width; ++i) to[i] = add ? wrapped_sum(to[i], from[i]) : from[i];
      from += width;
    }
  });
}

/// Error unless `updates` has for each of `index_rows` the part of x behind its first `depth` dimensions; what is not
/// known passes.
inline void require_updates(const Shape& x, const Shape& index_rows, int depth, const Shape& updates) {
  if (!x.rank_known() || !index_rows.rank_known() || !updates.rank_known()) return;
  Shape expected = index_rows;
  for (int i = depth; i < x.rank(); ++i) expected.push_back(x[i]);
  require(compatible(expected, updates), "updates are ", updates, ", expected ", expected);
}

}  // namespace coracle::internal
