// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"

namespace coracle {

/// out = x + value, for a tensor of one element.
struct Increment : UnaryOperator {
  static constexpr const char* kName = "increment";
  static constexpr const char* kLegacy[] = {"increment"};
  double value = 1.0;
  void attributes(AttributeVisitor& visit) { visit("value", value, "step"); }
  friend bool operator==(const Increment&, const Increment&) = default;
};

inline void infer(const Increment&, InferArgs& a) { infer_unary(a); }

inline void reference(const Increment& op, ReferenceArgs& a) {
  reference_unary(a, [&](double x) { return x + op.value; });
}

inline constexpr const OpRow* increment_op = &kOpRow<Increment>;

}  // namespace coracle
