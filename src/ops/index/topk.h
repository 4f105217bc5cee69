// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/operands.h"
#include "ops/common/sharing_lod.h"
#include "ops/index/selection.h"

namespace coracle::internal {

/// The k largest (or smallest) elements along `axis`, in order if `sorted`, and their indices; of equal ones, and of
/// the order of those that are not sorted, selection.h. NaN counts as the largest.
struct Topk {
  static constexpr const char* kName = "topk";
  static constexpr const char* kLegacy[] = {"top_k_v2"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("k", "k", "K")};
  static constexpr Port kOutputs[] = {out("out", "Out"), out("indices", "Indices")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = -1;
  bool largest = true;
  bool sorted = true;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("largest", largest);
    visit("sorted", sorted);
  }
  friend bool operator==(const Topk&, const Topk&) = default;
};

inline void infer_topk(InferArgs& a, int64_t axis_value) {
  Shape y = a.shape(0);
  const std::optional<int64_t> k = axis_operand(a, 1, 1);
  if (y.rank_known() && y.is_scalar()) {
    sorting_axis(axis_value, y);
    require(!k || *k == 1, "k is ", k.value_or(1), " of a scalar, expected 1");
  } else if (y.rank_known()) {
    const int axis = sorting_axis(axis_value, y);
    require(!k || (*k >= 0 && (y[axis] < 0 || *k <= y[axis])), "k is ", k.value_or(0), ", x has ", y[axis],
            " elements on axis ", axis);
    y[axis] = k.value_or(Shape::kUnknown);
  }
  a.set(0, a.dtype(0), y);
  a.set(1, DType::kInt64, y);
  share_lod(a, 1, 0);
}

inline void infer(const Topk& op, InferArgs& a) { infer_topk(a, op.axis); }

inline void reference(const Topk& op, ReferenceArgs& a) {
  const int axis = sorting_axis(op.axis, a.shape(0));
  const int64_t k = a.shape(0).is_scalar() ? 1 : a.out(0).shape()[axis];
  const Selection how{.descending = op.largest, .sorted = op.sorted};
  take_selected(a.context(), a.in(0), axis, k, how, a.out(0), a.wants(1) ? &a.out(1) : nullptr);
}

inline constexpr const OpSchema* topk_op = &kOpSchema<Topk>;

}  // namespace coracle::internal
