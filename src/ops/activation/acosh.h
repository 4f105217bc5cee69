// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = inverse hyperbolic cosine
struct Acosh : UnaryOperator {
  static constexpr const char* kName = "acosh";
  static constexpr const char* kLegacy[] = {"acosh"};
  friend bool operator==(const Acosh&, const Acosh&) = default;
};

inline void infer(const Acosh&, InferArgs& a) { infer_unary(a); }

inline void reference(const Acosh&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::acosh(x); });
}

inline constexpr const OpSchema* acosh_op = &kOpSchema<Acosh>;

}  // namespace coracle::internal
