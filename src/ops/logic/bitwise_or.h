// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/bitwise.h"

namespace coracle::internal {

/// out = x or y bit by bit
struct BitwiseOr : BinaryOperator {
  static constexpr const char* kName = "bitwise_or";
  static constexpr const char* kLegacy[] = {"bitwise_or"};
  friend bool operator==(const BitwiseOr&, const BitwiseOr&) = default;
};

inline void infer(const BitwiseOr&, InferArgs& a) { infer_bitwise(a); }

inline void reference(const BitwiseOr&, ReferenceArgs& a) {
  reference_bitwise(a, [](int64_t x, int64_t y) { return x | y; });
}

inline constexpr const OpSchema* bitwise_or_op = &kOpSchema<BitwiseOr>;

}  // namespace coracle::internal
