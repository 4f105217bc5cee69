// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/common/unary.h"

namespace coracle {

inline double logit(double x, double eps) {
  const double y = eps > 0 ? std::min(std::max(x, eps), 1.0 - eps) : x;
  return std::log(y / (1.0 - y));
}

/// out = log(x / (1 - x)) with x kept within [eps, 1 - eps]
struct Logit : UnaryOperator {
  static constexpr const char* kName = "logit";
  static constexpr const char* kLegacy[] = {"logit"};
  double eps = 1e-6;
  void attributes(AttributeVisitor& visit) { visit("eps", eps); }
  friend bool operator==(const Logit&, const Logit&) = default;
};

inline void infer(const Logit&, InferArgs& a) { infer_unary(a); }

inline void reference(const Logit& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return logit(x, op.eps); });
}

inline constexpr const OpRow* logit_op = &kOpRow<Logit>;

}  // namespace coracle
