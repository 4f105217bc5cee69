// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = the quotient rounded towards zero
struct TruncDivide : BinaryOperator {
  static constexpr const char* kName = "trunc_divide";
  static void lower(Lowering& l) { lower_binary<TruncDivide>(l); }
  friend bool operator==(const TruncDivide&, const TruncDivide&) = default;
};

inline void infer(const TruncDivide&, InferArgs& a) { infer_binary(a); }

/// A quotient that float32 rounds up to a whole number is that number.
inline void reference(const TruncDivide&, ReferenceArgs& a) {
  const bool in_double = a.out(0).dtype() == DType::kFloat64;
  reference_binary(a, [=](auto x, auto y) {
    if constexpr (std::is_floating_point_v<decltype(x)>) {
      return std::trunc(in_double ? x / y : static_cast<double>(static_cast<float>(x / y)));
    } else {
      return quotient(x, y);
    }
  });
}

inline constexpr const OpSchema* trunc_divide_op = &kOpSchema<TruncDivide>;

}  // namespace coracle::internal
