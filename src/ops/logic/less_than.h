// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = true where x < y
struct LessThan : BinaryOperator {
  static constexpr const char* kName = "less_than";
  static constexpr const char* kLegacy[] = {"less_than"};
  static void lower(Lowering& l) { lower_binary<LessThan>(l); }
  friend bool operator==(const LessThan&, const LessThan&) = default;
};

inline void infer(const LessThan&, InferArgs& a) { infer_comparison(a); }

inline void reference(const LessThan&, ReferenceArgs& a) {
  reference_comparison(a, [](auto x, auto y) { return x < y; });
}

inline constexpr const OpSchema* less_than_op = &kOpSchema<LessThan>;

}  // namespace coracle::internal
