// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/complex_numbers.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = x to the power of y; of integers, 0 to a negative power is 0 (as in Paddle 3.3; 2.6 converts the infinity)
struct ElementwisePow : BinaryOperator {
  static constexpr const char* kName = "elementwise_pow";
  static constexpr const char* kLegacy[] = {"elementwise_pow"};
  static void lower(Lowering& l) { lower_binary<ElementwisePow>(l); }
  friend bool operator==(const ElementwisePow&, const ElementwisePow&) = default;
};

inline void infer(const ElementwisePow&, InferArgs& a) { infer_binary(a); }

inline void reference(const ElementwisePow&, ReferenceArgs& a) {
  if (is_complex(a.out(0).dtype())) {
    return reference_complex_binary(a, [](auto x, auto y) { return std::pow(x, y); });
  }
  const bool narrow = is_integer(a.out(0).dtype()) && a.out(0).dtype() != DType::kInt64;
  reference_binary(a, [narrow](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>) {
      if (x == 0 && y < 0) return T{0};
    }
    return narrow ? static_cast<T>(power(static_cast<int32_t>(x), static_cast<int32_t>(y))) : power(x, y);
  });
}

inline constexpr const OpSchema* elementwise_pow_op = &kOpSchema<ElementwisePow>;

}  // namespace coracle::internal
