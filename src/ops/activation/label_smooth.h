// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/norm/normalization.h"

namespace coracle::internal {

/// (1 - epsilon) * label + epsilon * prior, where the prior is prior_dist or 1 / classes.
struct LabelSmooth {
  static constexpr const char* kName = "label_smooth";
  static constexpr const char* kLegacy[] = {"label_smooth"};
  static constexpr Port kInputs[] = {in("label", "X"), optional_in("prior_dist", "PriorDist")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double epsilon = 0.0;
  void attributes(AttributeVisitor& visit) { visit("epsilon", epsilon); }
  friend bool operator==(const LabelSmooth&, const LabelSmooth&) = default;
};

inline void infer(const LabelSmooth&, InferArgs& a) {
  require(is_float(a.dtype(0)), "label is ", a.dtype(0), ", expected a real type");
  a.set(0, a.dtype(0), a.shape(0));
  const Shape& x = a.shape(0);
  if (!x.rank_known()) return;
  require(x.rank() >= 1, "label has no dimensions");
  check_channels(a, 1, x.back(), "prior_dist");
}

inline void reference(const LabelSmooth& op, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  const Floats prior = numbers_or(a, 1, n, n > 0 ? 1.0 / static_cast<double>(n) : 0.0);
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, count = a.in(0).count(); i < count; ++i) {
      const double label = static_cast<double>(a.in(0).data<T>()[i]) * (1 - op.epsilon);
      a.out(0).data<T>()[i] = static_cast<T>(label + op.epsilon * prior[static_cast<size_t>(i % n)]);
    }
  });
}

inline constexpr const OpSchema* label_smooth_op = &kOpSchema<LabelSmooth>;

}  // namespace coracle::internal
