// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/common/joining.h"

namespace coracle {

/// The tensors one after the other on `axis` (0 where absent). Scalars count as one element.
struct Concat {
  static constexpr const char* kName = "concat";
  static constexpr const char* kLegacy[] = {"concat"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {list_in("x", "X"), shape_in("axis", "axis", "AxisTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Concat&, const Concat&) = default;
};

inline void infer(const Concat&, InferArgs& a) {
  const DType dtype = common_dtype(a, 0);
  const std::optional<double> axis_value = a.has(1) ? a.number(1) : 0.0;
  Shape y = Shape::unknown_rank();
  for (int i = 0; i < a.count(0); ++i) {
    Shape x = a.shape(0, i).is_scalar() ? Shape{1} : a.shape(0, i);
    if (!x.rank_known()) continue;
    if (!axis_value) {
      y = Shape::filled(x.rank(), Shape::kUnknown);
      continue;
    }
    x[normalize_axis(position(*axis_value), x.rank())] = Shape::kUnknown;
    y = met(y, x);
  }
  if (y.rank_known() && axis_value) {
    const int axis = normalize_axis(position(*axis_value), y.rank());
    int64_t sum = 0;
    for (int i = 0; i < a.count(0) && sum >= 0; ++i) {
      const Shape& x = a.shape(0, i);
      const int64_t dim = x.is_scalar() ? 1 : (x.rank_known() ? x[axis] : Shape::kUnknown);
      sum = dim < 0 ? Shape::kUnknown : checked_add(sum, dim);
    }
    y[axis] = sum;
    a.set(0, dtype, y);
    // Joined side by side the rows stay those of the first operand's sequences.
    if (axis != 0 && a.has(0)) a.out(0).lod = a.in(0).lod;
    return;
  }
  a.set(0, dtype, y);
}

inline void reference(const Concat&, ReferenceArgs& a) {
  std::vector<const Tensor*> parts;
  for (int i = 0; i < a.count(0); ++i) parts.push_back(&a.in(0, i));
  const int axis = normalize_axis(a.has(1) ? a.in(1).integer(0) : 0, a.out(0).shape().rank());
  join_tensors(parts, axis, a.out(0));
}

inline constexpr const OpRow* concat_op = &kOpRow<Concat>;

}  // namespace coracle
