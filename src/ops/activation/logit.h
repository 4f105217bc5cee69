// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// The bounds are rounded to the type of x: next to 1 that decides the result.
inline double logit(double x, double eps, DType dtype) {
  const auto bound = [dtype](double v) {
    return dtype == DType::kFloat64 ? v : static_cast<double>(static_cast<float>(v));
  };
  const double y = eps > 0 ? std::min(std::max(x, bound(eps)), bound(1.0 - bound(eps))) : x;
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
  const DType dtype = a.in(0).dtype();
  reference_unary(a, [&op, dtype](double x) { return logit(x, op.eps, dtype); });
}

inline constexpr const OpSchema* logit_op = &kOpSchema<Logit>;

}  // namespace coracle::internal
