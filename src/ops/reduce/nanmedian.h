// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/reduce/median_value.h"

namespace coracle::internal {

/// out = the middle element over the axes, leaving out what is not a number
struct Nanmedian : MedianOperator {
  static constexpr const char* kName = "nanmedian";
  static constexpr const char* kLegacy[] = {"nanmedian"};
  friend bool operator==(const Nanmedian&, const Nanmedian&) = default;
};

inline void infer(const Nanmedian& op, InferArgs& a) { infer_median(op, a); }

inline void reference(const Nanmedian& op, ReferenceArgs& a) { reference_median(op, a, true); }

inline constexpr const OpSchema* nanmedian_op = &kOpSchema<Nanmedian>;

}  // namespace coracle::internal
