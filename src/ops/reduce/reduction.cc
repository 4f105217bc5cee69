// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduction.h"

namespace coracle::internal {

std::vector<bool> reduced_dimensions(const Ints& axis, bool all, int rank) {
  std::vector<bool> reduced(static_cast<size_t>(rank), all || axis.empty());
  for (int64_t a : axis) {
    if (rank == 0) break;  // a scalar has nothing to reduce
    reduced[static_cast<size_t>(normalize_axis(a, rank))] = true;
  }
  return reduced;
}

Shape reduced_shape(const Shape& x, const Ints* axis, bool all, bool keepdim) {
  if (!x.rank_known()) return all && !keepdim ? Shape{} : Shape::unknown_rank();
  if (axis == nullptr && !all) return keepdim ? Shape::filled(x.rank(), Shape::kUnknown) : Shape::unknown_rank();
  const std::vector<bool> reduced = reduced_dimensions(axis != nullptr ? *axis : Ints{}, all, x.rank());
  Shape y;
  for (int d = 0; d < x.rank(); ++d) {
    if (!reduced[static_cast<size_t>(d)]) {
      y.push_back(x[d]);
    } else if (keepdim) {
      y.push_back(1);
    }
  }
  return y;
}

ReductionWalk::ReductionWalk(const Shape& x, const std::vector<bool>& reduced) : x_(x) {
  int64_t step = 1;
  for (int d = x.rank() - 1; d >= 0; --d) {
    stride_[d] = reduced[static_cast<size_t>(d)] ? 0 : step;
    if (!reduced[static_cast<size_t>(d)]) step *= x[d];
  }
}

}  // namespace coracle::internal
