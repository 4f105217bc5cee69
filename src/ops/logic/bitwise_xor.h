// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/bitwise.h"

namespace coracle::internal {

/// out = x xor y bit by bit
struct BitwiseXor : BinaryOperator {
  static constexpr const char* kName = "bitwise_xor";
  static constexpr const char* kLegacy[] = {"bitwise_xor"};
  friend bool operator==(const BitwiseXor&, const BitwiseXor&) = default;
};

inline void infer(const BitwiseXor&, InferArgs& a) { infer_bitwise(a); }

inline void reference(const BitwiseXor&, ReferenceArgs& a) {
  reference_bitwise(a, [](int64_t x, int64_t y) { return x ^ y; });
}

inline constexpr const OpSchema* bitwise_xor_op = &kOpSchema<BitwiseXor>;

}  // namespace coracle::internal
