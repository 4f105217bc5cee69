// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/common/operands.h"
#include "ops/movement/slicing.h"

namespace coracle::internal {

/// x with `values` written into the slice starts to ends by steps of `axes`. Values broadcast to the slice without its
/// `decrease_axes` and with a dimension of 1 at each of `none_axes`.
struct SetValueWithTensor {
  static constexpr const char* kName = "set_value_with_tensor";
  static constexpr Port kInputs[] = {
      in("x", "Input"), in("values", "ValueTensor"), shape_in("starts", "starts", "", "StartsTensorList"),
      shape_in("ends", "ends", "", "EndsTensorList"), shape_in("steps", "steps", "", "StepsTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints axes;
  Ints decrease_axes;
  Ints none_axes;
  bool legacy_bounds = false;  ///< bounds before element 0 mean what they do in ProgramDesc, else as in NumPy
  void attributes(AttributeVisitor& visit) {
    visit("axes", axes);
    visit("decrease_axes", decrease_axes);
    visit("none_axes", none_axes);
    visit("legacy_bounds", legacy_bounds);
  }
  friend bool operator==(const SetValueWithTensor&, const SetValueWithTensor&) = default;
};

/// A walk over the slice of x in the form that the values broadcast to.
inline ElementWalk written_slice(const SetValueWithTensor& op, const Shape& x, const Ints& starts, const Ints& ends,
                                 const Ints& steps) {
  const size_t n = op.axes.size();
  require(starts.size() == n && ends.size() == n && steps.size() == n, "set_value has ", n, " axes, ", starts.size(),
          " starts, ", ends.size(), " ends and ", steps.size(), " steps");
  const ElementWalk s = sliced_steps(x, op.axes, starts, ends, &steps, {}, {},
                                     op.legacy_bounds ? SliceBounds::kLegacySetValue : SliceBounds::kNumPy);
  bool dropped[Shape::kMaxRank] = {};
  for (int64_t d : op.decrease_axes) {
    const int axis = normalize_axis(d, x.rank(), "decrease_axes");
    require(s.size[axis] == 1, "axis ", axis, " cannot be dropped: the slice has ", s.size[axis],
            " elements there, expected 1");
    dropped[axis] = true;
  }
  ElementWalk seen;
  seen.start = s.start;
  size_t inserted = 0;
  for (int i = 0; i <= s.rank; ++i) {
    while (inserted < op.none_axes.size() && op.none_axes[inserted] <= seen.rank && seen.rank < ElementWalk::kMaxRank) {
      seen.push_back(1, 0);
      ++inserted;
    }
    if (i < s.rank && !dropped[i]) seen.push_back(s.size[i], s.step[i]);
  }
  return seen;
}

/// A walk over values that broadcasts them to `to`: surplus leading dimensions must be 1.
inline ElementWalk broadcast_values(const Shape& values, const ElementWalk& to) {
  const ElementWalk all = row_major(values);
  ElementWalk s;
  for (int i = 0; i < to.rank; ++i) {
    const int from = i - (to.rank - all.rank);
    const int64_t dim = from < 0 ? 1 : all.size[from];
    require(dim == 1 || dim == to.size[i], "values ", values, " do not fit dimension ", i, " of the slice, which has ",
            to.size[i], " elements");
    s.push_back(to.size[i], dim == 1 ? 0 : all.step[from]);
  }
  for (int i = 0; i < all.rank - to.rank; ++i) {
    require(all.size[i] == 1, "values ", values, " have more dimensions than the slice");
  }
  return s;
}

inline void infer(const SetValueWithTensor& op, InferArgs& a) {
  require_operand(a, 2, "starts");
  require_operand(a, 3, "ends");
  require_operand(a, 4, "steps");
  a.set(0, a.dtype(0), a.shape(0));
  const std::optional<Ints> starts = a.ints(2);
  const std::optional<Ints> ends = a.ints(3);
  const std::optional<Ints> steps = a.ints(4);
  if (!a.shape(0).known() || !a.shape(1).known() || !starts || !ends || !steps) return;
  const ElementWalk slice = written_slice(op, a.shape(0), *starts, *ends, *steps);
  if (slice.count() > 0) broadcast_values(a.shape(1), slice);
}

inline void reference(const SetValueWithTensor& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  copy_tensor(a.context(), x, a.out(0));
  const ElementWalk slice = written_slice(op, x.shape(), a.in(2).integers(a.context()), a.in(3).integers(a.context()),
                                          a.in(4).integers(a.context()));
  if (slice.count() == 0) return;
  const Tensor values = converted(a.context(), a.in(1), x.dtype());
  copy_elements(a.context(), values.raw(), broadcast_values(values.shape(), slice), a.out(0).raw(), slice,
                size_of(x.dtype()));
}

inline constexpr const OpSchema* set_value_with_tensor_op = &kOpSchema<SetValueWithTensor>;

}  // namespace coracle::internal
