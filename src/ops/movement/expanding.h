// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/movement.h"

namespace coracle::internal {

/// A walk over x that repeats it to fill `to` by NumPy's broadcasting rule. x must broadcast to `to`.
inline ElementWalk broadcast_steps(const Shape& x, const Shape& to) {
  const ElementWalk all = row_major(x);
  ElementWalk s;
  for (int i = 0; i < to.rank(); ++i) {
    const int from = i - (to.rank() - x.rank());
    s.push_back(to[i], from < 0 || x[from] == 1 ? 0 : all.step[from]);
  }
  return s;
}

/// A walk over x repeated times[i] in dimension i, last dimensions aligned; the missing ones of either count as 1.
inline ElementWalk tile_steps(const Shape& x, std::span<const int64_t> times) {
  const ElementWalk all = row_major(x);
  const int rank = std::max(x.rank(), static_cast<int>(times.size()));
  ElementWalk s;
  for (int i = 0; i < rank; ++i) {
    const int from = i - (rank - x.rank());
    const int t = i - (rank - static_cast<int>(times.size()));
    s.push_back(t < 0 ? 1 : times[static_cast<size_t>(t)], 0);
    s.push_back(from < 0 ? 1 : x[from], from < 0 ? 0 : all.step[from]);
  }
  return s;
}

/// The shape of that.
inline Shape tiled_shape(const Shape& x, std::span<const int64_t> times) {
  const int rank = std::max(x.rank(), static_cast<int>(times.size()));
  Shape y = Shape::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    const int from = i - (rank - x.rank());
    const int t = i - (rank - static_cast<int>(times.size()));
    const int64_t dim = from < 0 ? 1 : x[from];
    const int64_t repeat = t < 0 ? 1 : times[static_cast<size_t>(t)];
    require(repeat >= 0, "a dimension is to be repeated ", repeat, " times");
    y[i] = dim < 0 ? (repeat == 0 ? 0 : Shape::kUnknown) : checked_multiply(dim, repeat);
  }
  return y;
}

}  // namespace coracle::internal
