// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = true where x <= y
struct LessEqual : BinaryOperator {
  static constexpr const char* kName = "less_equal";
  static constexpr const char* kLegacy[] = {"less_equal"};
  static void lower(Lowering& l) { lower_binary<LessEqual>(l); }
  friend bool operator==(const LessEqual&, const LessEqual&) = default;
};

inline void infer(const LessEqual&, InferArgs& a) { infer_comparison(a); }

inline void reference(const LessEqual&, ReferenceArgs& a) {
  reference_comparison(a, [](auto x, auto y) { return x <= y; });
}

inline constexpr const OpSchema* less_equal_op = &kOpSchema<LessEqual>;

}  // namespace coracle::internal
