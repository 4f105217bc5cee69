// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/cumulative_extreme.h"

namespace coracle::internal {

/// The largest element so far along axis and where it stands.
struct Cummax : CumulativeExtreme {
  static constexpr const char* kName = "cummax";
  static constexpr const char* kLegacy[] = {"cummax"};
  friend bool operator==(const Cummax&, const Cummax&) = default;
};

inline void infer(const Cummax& op, InferArgs& a) { infer_cumulative_extreme(op, a); }

inline void reference(const Cummax& op, ReferenceArgs& a) {
  reference_cumulative_extreme(op, a, [](auto now, auto top) { return now >= top; });
}

inline constexpr const OpSchema* cummax_op = &kOpSchema<Cummax>;

}  // namespace coracle::internal
