// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/gathering.h"

namespace coracle::internal {

/// The slices of x along `axis` that `index` names.
struct IndexSelect {
  static constexpr const char* kName = "index_select";
  static constexpr const char* kLegacy[] = {"index_select"};
  static constexpr Port kInputs[] = {in("x", "X"), in("index", "Index")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = 0;
  void attributes(AttributeVisitor& visit) { visit("axis", axis, "dim"); }
  friend bool operator==(const IndexSelect&, const IndexSelect&) = default;
};

inline void infer(const IndexSelect& op, InferArgs& a) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    const Shape& index = a.shape(1);
    require(!index.rank_known() || index.rank() <= 1 || (index.rank() == 2 && index[1] <= 1), "index is ", index,
            ", expected one dimension");
    y[normalize_axis(op.axis, y.rank())] = index.rank_known() ? (index.is_scalar() ? 1 : index[0]) : Shape::kUnknown;
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const IndexSelect& op, ReferenceArgs& a) {
  gather_slices(a.context(), a.in(0), a.in(1), normalize_axis(op.axis, a.shape(0).rank()), a.out(0));
}

inline constexpr const OpSchema* index_select_op = &kOpSchema<IndexSelect>;

}  // namespace coracle::internal
