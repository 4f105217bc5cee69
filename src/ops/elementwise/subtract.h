// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/complex_numbers.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = x - y
struct Subtract : BinaryOperator {
  static constexpr const char* kName = "subtract";
  static constexpr const char* kLegacy[] = {"elementwise_sub"};
  static void lower(Lowering& l) { lower_binary<Subtract>(l); }
  friend bool operator==(const Subtract&, const Subtract&) = default;
};

inline void infer(const Subtract&, InferArgs& a) { infer_binary(a); }

inline void reference(const Subtract&, ReferenceArgs& a) {
  if (is_complex(a.out(0).dtype())) {
    reference_complex_binary(a, [](auto x, auto y) { return x - y; });
    return;
  }
  reference_binary(a, [](auto x, auto y) { return wrapped_difference(x, y); });
}

inline constexpr const OpSchema* subtract_op = &kOpSchema<Subtract>;

}  // namespace coracle::internal
