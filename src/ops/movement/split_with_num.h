// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/common/joining.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// `num` equal parts on `axis` (0 where absent).
struct SplitWithNum {
  static constexpr const char* kName = "split_with_num";
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("axis", "axis", "AxisTensor")};
  static constexpr Port kOutputs[] = {list_out("out", "Out")};
  int num = 0;
  void attributes(AttributeVisitor& visit) { visit("num", num); }
  friend bool operator==(const SplitWithNum&, const SplitWithNum&) = default;
};

inline void infer(const SplitWithNum& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const std::optional<double> axis_value = a.has(1) ? a.number(1) : 0.0;
  require(op.num > 0 && op.num == a.out_count(0), "split into ", op.num, " parts has ", a.out_count(0), " results");
  Shape y = x;
  if (x.rank_known() && axis_value) {
    const int axis = normalize_axis(position(*axis_value), x.rank());
    require(x[axis] < 0 || x[axis] % op.num == 0, "a dimension of ", x[axis], " cannot be split into ", op.num,
            " equal parts");
    if (x[axis] >= 0) y[axis] = x[axis] / op.num;
  } else if (x.rank_known()) {
    y = Shape::filled(x.rank(), Shape::kUnknown);
  }
  const bool same_rows = x.rank_known() && axis_value && normalize_axis(position(*axis_value), x.rank()) != 0;
  for (int i = 0; i < op.num; ++i) {
    a.set(0, a.dtype(0), y, i);
    if (same_rows) share_lod(a, 0, 0, i);
  }
}

inline void reference(const SplitWithNum& op, ReferenceArgs& a) {
  const Around x(a.shape(0), normalize_axis(a.has(1) ? a.in(1).integer(0) : 0, a.shape(0).rank()));
  const int64_t row = x.dim / op.num * x.inner;
  for (int i = 0; i < op.num; ++i)
    copy_rows_out(a.context(), a.in(0), a.out(0, i), x.outer, row, x.dim * x.inner, i * row);
}

inline std::optional<StridedView> view_of_result(const SplitWithNum&, const NodeFacts& f, const StridedView& x,
                                                 int result) {
  return view_of_section(f, x, f.value(1), result);
}

inline constexpr const OpSchema* split_with_num_op = &kOpSchema<SplitWithNum>;

}  // namespace coracle::internal
