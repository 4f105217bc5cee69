// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/cumulative_extreme.h"

namespace coracle::internal {

/// The smallest element so far along axis and where it stands.
struct Cummin : CumulativeExtreme {
  static constexpr const char* kName = "cummin";
  static constexpr const char* kLegacy[] = {"cummin"};
  friend bool operator==(const Cummin&, const Cummin&) = default;
};

inline void infer(const Cummin& op, InferArgs& a) { infer_cumulative_extreme(op, a); }

inline void reference(const Cummin& op, ReferenceArgs& a) {
  reference_cumulative_extreme(op, a, [](auto now, auto top) { return now <= top; });
}

inline constexpr const OpSchema* cummin_op = &kOpSchema<Cummin>;

}  // namespace coracle::internal
