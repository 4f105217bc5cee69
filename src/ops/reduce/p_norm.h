// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// out = (sum |x|^porder)^(1 / porder) along axis (over all if asvector); porder 0 counts what is not
/// zero, infinities give the largest and the smallest magnitude, NaN if there is one.
struct PNorm {
  static constexpr const char* kName = "p_norm";
  static constexpr const char* kLegacy[] = {"p_norm"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  double porder = 2.0;
  int64_t axis = -1;
  bool keepdim = false;
  bool asvector = false;
  void attributes(AttributeVisitor& visit) {
    visit("porder", porder);
    visit("axis", axis);
    visit("keepdim", keepdim);
    visit("asvector", asvector);
  }
  friend bool operator==(const PNorm&, const PNorm&) = default;
};

inline void infer(const PNorm& op, InferArgs& a) {
  const Ints axis{op.axis};
  a.set(0, a.dtype(0), reduced_shape(a.shape(0), &axis, op.asvector, op.keepdim));
}

inline void reference(const PNorm& op, ReferenceArgs& a) {
  const std::vector<bool> reduced = reduced_dimensions(Ints{op.axis}, op.asvector, a.shape(0).rank());
  const double p = op.porder;
  const double infinity = std::numeric_limits<double>::infinity();
  const auto same = [](double s, double) { return s; };
  if (p == 0) {
    const auto count = [](double s, double x) { return s + (x != 0 ? 1.0 : 0.0); };
    reference_reduction(a.context(), a.in(0), reduced, a.out(0), 0.0, count, same);
  } else if (p == infinity) {
    const auto larger = [](double s, double x) { return s != s || x != x ? s + x : std::max(s, std::fabs(x)); };
    reference_reduction(a.context(), a.in(0), reduced, a.out(0), 0.0, larger, same);
  } else if (p == -infinity) {
    const auto smaller = [](double s, double x) { return s != s || x != x ? s + x : std::min(s, std::fabs(x)); };
    reference_reduction(a.context(), a.in(0), reduced, a.out(0), infinity, smaller, same);
  } else {
    const auto add = [p](double s, double x) { return s + std::pow(std::fabs(x), p); };
    const auto root = [p](double s, double) { return std::pow(s, 1.0 / p); };
    reference_reduction(a.context(), a.in(0), reduced, a.out(0), 0.0, add, root);
  }
}

inline constexpr const OpSchema* p_norm_op = &kOpSchema<PNorm>;

}  // namespace coracle::internal
