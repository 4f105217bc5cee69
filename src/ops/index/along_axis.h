// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/common/indices.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// Checks indices of a tensor along an axis: same rank, no larger than it elsewhere.
inline void require_along_axis(const Shape& x, const Shape& index, int64_t axis_value) {
  if (!x.rank_known() || !index.rank_known()) return;
  require(x.rank() == index.rank(), "indices are ", index, ", expected the rank of ", x);
  const int axis = normalize_axis(axis_value, x.rank());
  for (int i = 0; i < x.rank(); ++i) {
    require(i == axis || x[i] < 0 || index[i] < 0 || index[i] <= x[i], "indices ", index, " do not fit ", x,
            " on axis ", i);
  }
}

/// Dimensions before and behind `axis` as one each.
inline Shape around_axis(const Shape& x, int axis) { return {x.count(0, axis), x[axis], x.count(axis + 1, x.rank())}; }

/// f(position in index, position in x) for each element of index, whose value replaces the coordinate on `axis`. With
/// `as_matrices` the other coordinates are counted through the dimensions on each side of the axis, so that an index
/// smaller than x there meets the first elements of x in memory: ProgramDesc's operators do so.
template <class F>
void each_along_axis(const RunContext& context, const Tensor& index, const Shape& x, int axis, bool as_matrices,
                     const F& f) {
  const ElementWalk from = row_major(as_matrices ? around_axis(x, axis) : x);
  const Shape shape = as_matrices ? around_axis(index.shape(), axis) : index.shape();
  if (as_matrices) axis = 1;
  int64_t at[Shape::kMaxRank] = {};
  int64_t base = 0;  // position in x of the coordinates other than the axis
  LoopCheck check(context);
  for (int64_t i = 0, n = index.count(); i < n; ++i) {
    check.step();
    f(i, base + index_from_front(index.integer(i), from.size[axis], "Index", i) * from.step[axis]);
    for (int d = shape.rank() - 1; d >= 0; --d) {
      const int64_t step = d == axis ? 0 : from.step[d];
      base += step;
      if (++at[d] < shape[d]) break;
      base -= step * shape[d];
      at[d] = 0;
    }
  }
}

}  // namespace coracle::internal
