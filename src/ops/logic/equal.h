// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = true where x equals y
struct Equal : BinaryOperator {
  static constexpr const char* kName = "equal";
  static constexpr const char* kLegacy[] = {"equal"};
  static void lower(Lowering& l) { lower_binary<Equal>(l); }
  friend bool operator==(const Equal&, const Equal&) = default;
};

inline void infer(const Equal&, InferArgs& a) { infer_comparison(a); }

inline void reference(const Equal&, ReferenceArgs& a) {
  if (is_complex(promote(a.in(0).dtype(), a.in(1).dtype()))) return reference_complex_equality(a, true);
  reference_comparison(a, [](auto x, auto y) { return x == y; });
}

inline constexpr const OpSchema* equal_op = &kOpSchema<Equal>;

}  // namespace coracle::internal
