// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = true where x >= y
struct GreaterEqual : BinaryOperator {
  static constexpr const char* kName = "greater_equal";
  static constexpr const char* kLegacy[] = {"greater_equal"};
  static void lower(Lowering& l) { lower_binary<GreaterEqual>(l); }
  friend bool operator==(const GreaterEqual&, const GreaterEqual&) = default;
};

inline void infer(const GreaterEqual&, InferArgs& a) { infer_comparison(a); }

inline void reference(const GreaterEqual&, ReferenceArgs& a) {
  reference_comparison(a, [](auto x, auto y) { return x >= y; });
}

inline constexpr const OpSchema* greater_equal_op = &kOpSchema<GreaterEqual>;

}  // namespace coracle::internal
