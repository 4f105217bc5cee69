// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the largest element over the axes
struct Amax : ReductionAttributes {
  static constexpr const char* kName = "amax";
  static constexpr const char* kLegacy[] = {"reduce_amax"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Amax&, const Amax&) = default;
};

inline void infer(const Amax& op, InferArgs& a) {
  a.set(0, a.dtype(0), reduced_shape(a.shape(0), &op.axis, op.reduce_all, op.keepdim));
}

inline void reference(const Amax& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = reduced_dimensions(op.axis, op.reduce_all, a.shape(0).rank());
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

inline constexpr const OpSchema* amax_op = &kOpSchema<Amax>;

}  // namespace coracle::internal
