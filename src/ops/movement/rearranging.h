// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// out = x seen with dimensions `split` (whose product is its count), these taken in the order `order`, row-major.
inline void rearrange(const RunContext& context, const Tensor& x, std::initializer_list<int64_t> split,
                      std::initializer_list<int> order, Tensor& out) {
  ElementWalk all;
  for (int64_t d : split) all.push_back(d, 0);
  int64_t step = 1;
  for (int i = all.rank - 1; i >= 0; --i) {
    all.step[i] = step;
    step *= all.size[i];
  }
  gather_elements(context, x, permuted(all, std::span<const int>(order.begin(), order.size())), out);
}

/// Checks an image operand: 4 dimensions. Gives 4 unknown dimensions where the rank is not known.
inline Shape image_shape(const Shape& x) {
  if (!x.rank_known()) return Shape::filled(4, Shape::kUnknown);
  require(x.rank() == 4, "x is ", x, ", expected 4 dimensions");
  return x;
}

/// dim / by, Error unless it divides; unknown stays unknown.
inline int64_t divided(int64_t dim, int64_t by, const char* what) {
  require(by > 0, what, " is ", by, ", expected a positive number");
  require(dim < 0 || dim % by == 0, "a dimension of ", dim, " is not divisible by ", what, " ", by);
  return dim < 0 ? dim : dim / by;
}

/// dim * by, unknown stays unknown.
inline int64_t multiplied(int64_t dim, int64_t by) { return dim < 0 ? dim : checked_multiply(dim, by); }

}  // namespace coracle::internal
