// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/distinct.h"

namespace coracle::internal {

/// The distinct elements of x (or slices along `axis`), where each first appears, which of them each element is, and
/// how often each appears. Sorted, or without is_sorted in order of appearance.
struct Unique {
  static constexpr const char* kName = "unique";
  static constexpr const char* kLegacy[] = {"unique"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("indices", "Indices"),
                                      optional_out("inverse", "Index"), optional_out("counts", "Counts")};
  Ints axis;
  DType dtype = DType::kInt64;
  bool is_sorted = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("dtype", dtype);
    visit("is_sorted", is_sorted);
  }
  friend bool operator==(const Unique&, const Unique&) = default;
};

inline void infer(const Unique& op, InferArgs& a) { infer_distinct(a, op.axis, index_dtype(op.dtype), 2, {1, 3}); }

inline void reference(const Unique& op, ReferenceArgs& a) {
  const DType dtype = index_dtype(op.dtype);
  const Distinct distinct = distinct_slices(a.context(), a.in(0), op.axis,
                                            op.is_sorted ? Distinct::Order::kSorted : Distinct::Order::kAppearance);
  take_distinct(a, op.axis, distinct);
  if (a.wants(1)) a.out(1) = index_row(a.context(), distinct.first, dtype);
  if (a.wants(2)) a.out(2) = index_row(a.context(), distinct.inverse, dtype);
  if (a.wants(3)) a.out(3) = index_row(a.context(), distinct.counts, dtype);
}

inline constexpr const OpSchema* unique_op = &kOpSchema<Unique>;

}  // namespace coracle::internal
