// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/distinct.h"

namespace coracle::internal {

/// The distinct elements of x in order of appearance, which of them each element is, and how often each appears.
struct UniqueWithCounts {
  static constexpr const char* kName = "unique_with_counts";
  static constexpr const char* kLegacy[] = {"unique_with_counts"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), out("index", "Index"), out("count", "Count")};
  DType dtype = DType::kInt32;
  void attributes(AttributeVisitor& visit) { visit("dtype", dtype); }
  friend bool operator==(const UniqueWithCounts&, const UniqueWithCounts&) = default;
};

inline void infer(const UniqueWithCounts& op, InferArgs& a) { infer_distinct(a, {}, index_dtype(op.dtype), 1, {2}); }

inline void reference(const UniqueWithCounts& op, ReferenceArgs& a) {
  const Distinct distinct = distinct_slices(a.context(), a.in(0), {}, Distinct::Order::kAppearance);
  take_distinct(a, {}, distinct);
  a.out(1) = index_row(a.context(), distinct.inverse, index_dtype(op.dtype));
  a.out(2) = index_row(a.context(), distinct.counts, index_dtype(op.dtype));
}

inline constexpr const OpSchema* unique_with_counts_op = &kOpSchema<UniqueWithCounts>;

}  // namespace coracle::internal
