// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the smallest element over the axes
struct Min : OperandReduction {
  static constexpr const char* kName = "min";
  static constexpr const char* kLegacy[] = {"reduce_min"};
  friend bool operator==(const Min&, const Min&) = default;
};

inline void infer(const Min& op, InferArgs& a) { a.set(0, a.dtype(0), infer_operand_reduction(op, a)); }

inline void reference(const Min& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = operand_axes(op, a);
  if (is_integer(a.in(0).dtype())) {
    reference_integer_reduction(a.context(), a.in(0), reduced, a.out(0), INT64_MAX,
                                [](int64_t s, int64_t x) { return std::min(s, x); });
    return;
  }
  reference_reduction(
      a.context(), a.in(0), reduced, a.out(0), std::numeric_limits<double>::infinity(),
      [](double s, double x) { return s != s ? s : (x != x ? x : std::min(s, x)); },
      [](double s, double) { return s; });
}

inline constexpr const OpSchema* min_op = &kOpSchema<Min>;

}  // namespace coracle::internal
