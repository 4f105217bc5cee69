// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "graph/op.h"

namespace coracle::internal {

/// Keeps the elements of each matrix below (column - row <= diagonal) or above (>=) a diagonal; the rest is zero.
inline void reference_triangle(const Tensor& x, Tensor& y, int64_t diagonal, bool lower) {
  const size_t size = size_of(x.dtype());
  const int rank = x.shape().rank();
  const int64_t rows = x.shape()[rank - 2];
  const int64_t columns = x.shape()[rank - 1];
  const auto* from = static_cast<const char*>(x.raw());
  auto* to = static_cast<char*>(y.raw());
  for (int64_t i = 0, n = x.count(); i < n; ++i) {
    const int64_t r = i / columns % rows;
    const int64_t c = i % columns;
    const bool keep = lower ? c - r <= diagonal : c - r >= diagonal;
    char* at = to + static_cast<size_t>(i) * size;
    if (keep) {
      std::memcpy(at, from + static_cast<size_t>(i) * size, size);
    } else {
      std::memset(at, 0, size);
    }
  }
}

inline void infer_triangle(InferArgs& a) {
  const Shape& x = a.shape(0);
  require(!x.rank_known() || x.rank() >= 2, "x ", x, " has fewer than 2 dimensions");
  a.set(0, a.dtype(0), x);
}

}  // namespace coracle::internal
