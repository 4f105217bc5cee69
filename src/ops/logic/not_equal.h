// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = true where x differs from y
struct NotEqual : BinaryOperator {
  static constexpr const char* kName = "not_equal";
  static constexpr const char* kLegacy[] = {"not_equal"};
  static void lower(Lowering& l) { lower_binary<NotEqual>(l); }
  friend bool operator==(const NotEqual&, const NotEqual&) = default;
};

inline void infer(const NotEqual&, InferArgs& a) { infer_comparison(a); }

inline void reference(const NotEqual&, ReferenceArgs& a) {
  if (is_complex(promote(a.in(0).dtype(), a.in(1).dtype()))) return reference_complex_equality(a, false);
  reference_comparison(a, [](auto x, auto y) { return x != y; });
}

inline constexpr const OpSchema* not_equal_op = &kOpSchema<NotEqual>;

}  // namespace coracle::internal
