// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = true where x > y
struct GreaterThan : BinaryOperator {
  static constexpr const char* kName = "greater_than";
  static constexpr const char* kLegacy[] = {"greater_than"};
  static void lower(Lowering& l) { lower_binary<GreaterThan>(l); }
  friend bool operator==(const GreaterThan&, const GreaterThan&) = default;
};

inline void infer(const GreaterThan&, InferArgs& a) { infer_comparison(a); }

inline void reference(const GreaterThan&, ReferenceArgs& a) {
  reference_comparison(a, [](auto x, auto y) { return x > y; });
}

inline constexpr const OpSchema* greater_than_op = &kOpSchema<GreaterThan>;

}  // namespace coracle::internal
