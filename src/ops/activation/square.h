// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x * x
struct Square : UnaryOperator {
  static constexpr const char* kName = "square";
  static constexpr const char* kLegacy[] = {"square"};
  friend bool operator==(const Square&, const Square&) = default;
};

inline void infer(const Square&, InferArgs& a) { infer_unary(a); }

inline void reference(const Square&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) { return x * x; });
}

inline std::optional<UnaryStep> unary_step(const Square&, const NodeFacts&) { return unary(UnaryKind::kSquare); }

inline constexpr const OpSchema* square_op = &kOpSchema<Square>;

}  // namespace coracle::internal
