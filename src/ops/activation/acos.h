// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = arc cosine
struct Acos : UnaryOperator {
  static constexpr const char* kName = "acos";
  static constexpr const char* kLegacy[] = {"acos"};
  friend bool operator==(const Acos&, const Acos&) = default;
};

inline void infer(const Acos&, InferArgs& a) { infer_unary(a); }

inline void reference(const Acos&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::acos(x); });
}

inline constexpr const OpSchema* acos_op = &kOpSchema<Acos>;

}  // namespace coracle::internal
