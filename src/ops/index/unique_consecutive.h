// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/distinct.h"

namespace coracle::internal {

/// x (or its slices along `axis`) with runs of equal elements reduced to one, which run each element is in, and the
/// length of each run.
struct UniqueConsecutive {
  static constexpr const char* kName = "unique_consecutive";
  static constexpr const char* kLegacy[] = {"unique_consecutive"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("index", "Index"),
                                      optional_out("counts", "Counts")};
  Ints axis;
  DType dtype = DType::kInt64;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("dtype", dtype);
  }
  friend bool operator==(const UniqueConsecutive&, const UniqueConsecutive&) = default;
};

inline void infer(const UniqueConsecutive& op, InferArgs& a) {
  infer_distinct(a, op.axis, index_dtype(op.dtype), 1, {2});
}

inline void reference(const UniqueConsecutive& op, ReferenceArgs& a) {
  const DType dtype = index_dtype(op.dtype);
  const Distinct distinct = distinct_slices(a.context(), a.in(0), op.axis, Distinct::Order::kConsecutive);
  take_distinct(a, op.axis, distinct);
  if (a.wants(1)) a.out(1) = index_row(a.context(), distinct.inverse, dtype);
  if (a.wants(2)) a.out(2) = index_row(a.context(), distinct.counts, dtype);
}

inline constexpr const OpSchema* unique_consecutive_op = &kOpSchema<UniqueConsecutive>;

}  // namespace coracle::internal
