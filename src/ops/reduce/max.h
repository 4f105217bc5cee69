// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the largest element over the axes
struct Max : OperandReduction {
  static constexpr const char* kName = "max";
  static constexpr const char* kLegacy[] = {"reduce_max"};
  friend bool operator==(const Max&, const Max&) = default;
};

inline void infer(const Max& op, InferArgs& a) { a.set(0, a.dtype(0), infer_operand_reduction(op, a)); }

inline void reference(const Max& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = operand_axes(op, a);
  if (is_integer(a.in(0).dtype())) {
    reference_integer_reduction(a.context(), a.in(0), reduced, a.out(0), INT64_MIN,
                                [](int64_t s, int64_t x) { return std::max(s, x); });
    return;
  }
  reference_reduction(
      a.context(), a.in(0), reduced, a.out(0), -std::numeric_limits<double>::infinity(),
      [](double s, double x) { return s != s ? s : (x != x ? x : std::max(s, x)); },
      [](double s, double) { return s; });
}

inline constexpr const OpSchema* max_op = &kOpSchema<Max>;

}  // namespace coracle::internal
