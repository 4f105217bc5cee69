// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/slicing.h"

#include <algorithm>

#include "base/counted.h"

namespace coracle::internal {
namespace {

/// The front end writes x[-1] as start -1, end 0 with the flag "not known": there end 0 means the end.
int64_t effective_end(size_t i, int64_t axis, int64_t start, int64_t end, const Ints& decreased, const Ints& flags) {
  const bool flagged = i < flags.size() && flags[i] == -1;
  const bool dropped = std::find(decreased.begin(), decreased.end(), axis) != decreased.end();
  return start == -1 && end == 0 && flagged && dropped ? INT64_MAX : end;
}

}  // namespace

Slicing slice_of(int64_t dim, int64_t start, int64_t end) {
  if (start < 0) start = std::max<int64_t>(start + dim, 0);
  if (end < 0) end = std::max<int64_t>(end + dim, 0);
  start = std::min(start, dim);
  end = std::min(end, dim);
  return {.start = start, .step = 1, .length = std::max<int64_t>(end - start, 0)};
}

Slicing strided_slice_of(int64_t dim, int64_t start, int64_t end, int64_t step, SliceBounds bounds) {
  require(step != 0, "the step of a strided slice is 0");
  const int64_t before = step < 0 ? -1 : 0;
  const int64_t least_start = bounds == SliceBounds::kNumPy ? before : 0;
  const int64_t least_end = bounds == SliceBounds::kLegacyStridedSlice ? 0 : before;
  const bool open = bounds != SliceBounds::kNumPy && end == -1 && step < 0;
  if (start < 0) start = std::max(start + dim, least_start);
  if (end < 0 && !open) end = std::max(end + dim, least_end);
  if (step > 0) {
    start = std::min(start, dim);
    end = std::min(end, dim);
    const int64_t span = std::max<int64_t>(end - start, 0);
    return {.start = start, .step = step, .length = span == 0 ? 0 : (span - 1) / step + 1};
  }
  start = std::min(start, dim - 1);
  const int64_t span = std::max<int64_t>(start - end, 0);
  // -(step + 1) + 1 avoids the negation of the least integer.
  const int64_t length = span == 0 ? 0 : (step == INT64_MIN ? 1 : (span - 1) / -step + 1);
  return {.start = std::max<int64_t>(start, 0), .step = step, .length = length};
}

Shape sliced_shape(const Shape& x, const Ints& axes, const std::optional<Ints>& starts, const std::optional<Ints>& ends,
                   const std::optional<Ints>* steps, const Ints& decreased, const Ints& infer_flags,
                   SliceBounds bounds) {
  if (!x.rank_known()) return Shape::unknown_rank();
  const auto check = [&](const std::optional<Ints>& list, const char* what) {
    require(!list || list->size() == axes.size(), what, " has ", list ? list->size() : 0, " elements, axes has ",
            axes.size());
  };
  check(starts, "starts");
  check(ends, "ends");
  if (steps != nullptr) check(*steps, "steps");
  const bool all_known = starts && ends && (steps == nullptr || *steps);
  Shape y = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = normalize_axis(axes[i], x.rank());
    y[axis] = Shape::kUnknown;
    if (!all_known || x[axis] < 0) continue;
    const int64_t end = effective_end(i, axes[i], (*starts)[i], (*ends)[i], decreased, infer_flags);
    y[axis] = steps == nullptr ? slice_of(x[axis], (*starts)[i], end).length
                               : strided_slice_of(x[axis], (*starts)[i], end, (**steps)[i], bounds).length;
  }
  bool dropped[Shape::kMaxRank] = {};
  for (int64_t d : decreased) {
    const int axis = normalize_axis(d, x.rank(), "decrease_axis");
    require(y[axis] < 0 || y[axis] == 1, "axis ", axis, " of ", x, " cannot be dropped: the slice has ",
            counted(y[axis], "element"), " there, expected 1");
    dropped[axis] = true;
  }
  Shape out;
  for (int i = 0; i < y.rank(); ++i) {
    if (!dropped[i]) out.push_back(y[i]);
  }
  return out;
}

ElementWalk sliced_steps(const Shape& x, const Ints& axes, const Ints& starts, const Ints& ends, const Ints* steps,
                         const Ints& decreased, const Ints& infer_flags, SliceBounds bounds) {
  const ElementWalk whole = row_major(x);
  ElementWalk s = whole;
  int64_t first[Shape::kMaxRank] = {};  // of an axis that is named twice, the last slice holds
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = normalize_axis(axes[i], x.rank());
    const int64_t end = effective_end(i, axes[i], starts[i], ends[i], decreased, infer_flags);
    const Slicing part = steps == nullptr ? slice_of(x[axis], starts[i], end)
                                          : strided_slice_of(x[axis], starts[i], end, (*steps)[i], bounds);
    first[axis] = part.start * whole.step[axis];
    s.size[axis] = part.length;
    // One element or none: the step is never used and might overflow.
    s.step[axis] = part.length <= 1 ? 0 : whole.step[axis] * part.step;
  }
  for (int64_t offset : first) s.start += offset;
  return s;
}

StridedView sliced_view(const StridedView& x, const Shape& from, const ElementWalk& read, const Ints& decreased) {
  StridedView y = x;
  int64_t rest = read.start;
  for (int d = from.rank() - 1; d >= 0; --d) {
    y.start += rest % from[d] * x.step[d];
    rest /= from[d];
  }
  int rank = read.rank;
  for (int d = from.rank() - 1; d >= 0; --d) {
    const bool dropped = std::any_of(decreased.begin(), decreased.end(),
                                     [&](int64_t axis) { return normalize_axis(axis, from.rank()) == d; });
    if (dropped) y = without_dimension(y, d, rank--);
  }
  return y;
}

}  // namespace coracle::internal
