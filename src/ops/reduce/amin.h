// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = the smallest element over the axes
struct Amin : ReductionAttributes {
  static constexpr const char* kName = "amin";
  static constexpr const char* kLegacy[] = {"reduce_amin"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Amin&, const Amin&) = default;
};

inline void infer(const Amin& op, InferArgs& a) {
  a.set(0, a.dtype(0), reduced_shape(a.shape(0), &op.axis, op.reduce_all, op.keepdim));
}

inline void reference(const Amin& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = reduced_dimensions(op.axis, op.reduce_all, a.shape(0).rank());
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

inline constexpr const OpSchema* amin_op = &kOpSchema<Amin>;

}  // namespace coracle::internal
