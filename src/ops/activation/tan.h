// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"

namespace coracle::internal {

/// out = tangent
struct Tan : UnaryOperator {
  static constexpr const char* kName = "tan";
  static constexpr const char* kLegacy[] = {"tan"};
  friend bool operator==(const Tan&, const Tan&) = default;
};

inline void infer(const Tan&, InferArgs& a) { infer_unary(a); }

inline void reference(const Tan&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return std::tan(x); });
}

inline constexpr const OpSchema* tan_op = &kOpSchema<Tan>;

}  // namespace coracle::internal
