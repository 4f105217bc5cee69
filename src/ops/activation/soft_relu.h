// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = log(1 + e^x) with x kept within [-threshold, threshold]
struct SoftRelu : UnaryOperator {
  static constexpr const char* kName = "soft_relu";
  static constexpr const char* kLegacy[] = {"soft_relu"};
  double threshold = 40.0;
  void attributes(AttributeVisitor& visit) { visit("threshold", threshold); }
  friend bool operator==(const SoftRelu&, const SoftRelu&) = default;
};

inline void infer(const SoftRelu&, InferArgs& a) { infer_unary(a); }

inline void reference(const SoftRelu& op, ReferenceArgs& a) {
  reference_unary(a, [&op](double x) { return std::log1p(std::exp(std::clamp(x, -op.threshold, op.threshold))); });
}

inline constexpr const OpSchema* soft_relu_op = &kOpSchema<SoftRelu>;

}  // namespace coracle::internal
