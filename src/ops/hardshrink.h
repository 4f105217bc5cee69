// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/unary.h"

namespace coracle {

/// out = x where |x| > threshold, else 0
struct Hardshrink : UnaryOperator {
  static constexpr const char* kName = "hardshrink";
  static constexpr const char* kLegacy[] = {"hard_shrink"};
  double threshold = 0.5;
  void attributes(AttributeVisitor& visit) { visit("threshold", threshold); }
  friend bool operator==(const Hardshrink&, const Hardshrink&) = default;
};

inline void infer(const Hardshrink&, InferArgs& a) { infer_unary(a); }

inline void reference(const Hardshrink& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return x > op.threshold || x < -op.threshold ? x : 0.0; });
}

inline constexpr const OpRow* hardshrink_op = &kOpRow<Hardshrink>;

}  // namespace coracle
