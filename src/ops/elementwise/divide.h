// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/complex_numbers.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = x / y; integers divide with truncation, by zero gives zero
struct Divide : BinaryOperator {
  static constexpr const char* kName = "divide";
  static constexpr const char* kLegacy[] = {"elementwise_div"};
  static void lower(Lowering& l) { lower_binary<Divide>(l); }
  friend bool operator==(const Divide&, const Divide&) = default;
};

inline void infer(const Divide&, InferArgs& a) { infer_binary(a); }

inline void reference(const Divide&, ReferenceArgs& a) {
  if (is_complex(a.out(0).dtype())) {
    reference_complex_binary(a, [](auto x, auto y) { return x / y; });
    return;
  }
  reference_binary(a, [](auto x, auto y) { return quotient(x, y); });
}

inline constexpr const OpSchema* divide_op = &kOpSchema<Divide>;

}  // namespace coracle::internal
