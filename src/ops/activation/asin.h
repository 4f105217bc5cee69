// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = arc sine
struct Asin : UnaryOperator {
  static constexpr const char* kName = "asin";
  static constexpr const char* kLegacy[] = {"asin"};
  friend bool operator==(const Asin&, const Asin&) = default;
};

inline void infer(const Asin&, InferArgs& a) { infer_unary(a); }

inline void reference(const Asin&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::asin(x); });
}

inline constexpr const OpSchema* asin_op = &kOpSchema<Asin>;

}  // namespace coracle::internal
