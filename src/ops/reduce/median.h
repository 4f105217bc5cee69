// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/median_value.h"

namespace coracle::internal {

/// out = the middle element over the axes; not a number where one of them is not
struct Median : MedianOperator {
  static constexpr const char* kName = "median";
  static constexpr const char* kLegacy[] = {"median"};
  friend bool operator==(const Median&, const Median&) = default;
};

inline void infer(const Median& op, InferArgs& a) { infer_median(op, a); }

inline void reference(const Median& op, ReferenceArgs& a) { reference_median(op, a, false); }

inline constexpr const OpSchema* median_op = &kOpSchema<Median>;

}  // namespace coracle::internal
