// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = x + value, for a tensor of one element; the value is first brought to x's type.
struct Increment : UnaryOperator {
  static constexpr const char* kName = "increment";
  static constexpr const char* kLegacy[] = {"increment"};
  double value = 1.0;
  void attributes(AttributeVisitor& visit) { visit("value", value, "step"); }
  friend bool operator==(const Increment&, const Increment&) = default;
};

inline void infer(const Increment&, InferArgs& a) { infer_unary(a); }

inline void reference(const Increment& op, ReferenceArgs& a) {
  const DType dtype = a.in(0).dtype();
  const double step = is_float(dtype) || is_complex(dtype) ? op.value : std::trunc(op.value);
  reference_unary(a, [step](double x) { return x + step; });
}

inline constexpr const OpSchema* increment_op = &kOpSchema<Increment>;

}  // namespace coracle::internal
