// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/unary.h"

namespace coracle {

/// out = |x|
struct Abs : UnaryOperator {
  static constexpr const char* kName = "abs";
  static constexpr const char* kLegacy[] = {"abs"};
  friend bool operator==(const Abs&, const Abs&) = default;
};

inline void infer(const Abs&, InferArgs& a) { infer_unary(a); }

inline void reference(const Abs&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::fabs(x); });
}

inline constexpr const OpRow* abs_op = &kOpRow<Abs>;

}  // namespace coracle
