// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/bitwise.h"

namespace coracle::internal {

/// out = x and y bit by bit
struct BitwiseAnd : BinaryOperator {
  static constexpr const char* kName = "bitwise_and";
  static constexpr const char* kLegacy[] = {"bitwise_and"};
  friend bool operator==(const BitwiseAnd&, const BitwiseAnd&) = default;
};

inline void infer(const BitwiseAnd&, InferArgs& a) { infer_bitwise(a); }

inline void reference(const BitwiseAnd&, ReferenceArgs& a) {
  reference_bitwise(a, [](int64_t x, int64_t y) { return x & y; });
}

inline constexpr const OpSchema* bitwise_and_op = &kOpSchema<BitwiseAnd>;

}  // namespace coracle::internal
