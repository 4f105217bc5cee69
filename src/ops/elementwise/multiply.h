// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/complex_numbers.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = x * y
struct Multiply : BinaryOperator {
  static constexpr const char* kName = "multiply";
  static constexpr const char* kLegacy[] = {"elementwise_mul"};
  static void lower(Lowering& l) { lower_binary<Multiply>(l); }
  friend bool operator==(const Multiply&, const Multiply&) = default;
};

inline void infer(const Multiply&, InferArgs& a) { infer_binary(a); }

inline void reference(const Multiply&, ReferenceArgs& a) {
  if (is_complex(a.out(0).dtype())) {
    reference_complex_binary(a, [](auto x, auto y) { return x * y; });
    return;
  }
  reference_binary(a, [](auto x, auto y) { return wrapped_product(x, y); });
}

inline constexpr const OpSchema* multiply_op = &kOpSchema<Multiply>;

}  // namespace coracle::internal
