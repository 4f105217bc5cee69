// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/bitwise.h"

namespace coracle::internal {

/// out = x shifted to the left by y bits; 0 where y is not within the width
struct BitwiseLeftShift : BinaryOperator {
  static constexpr const char* kName = "bitwise_left_shift";
  static constexpr const char* kLegacy[] = {"bitwise_left_shift"};
  bool is_arithmetic = true;
  void attributes(AttributeVisitor& visit) { visit("is_arithmetic", is_arithmetic); }
  friend bool operator==(const BitwiseLeftShift&, const BitwiseLeftShift&) = default;
};

inline void infer(const BitwiseLeftShift&, InferArgs& a) { infer_bitwise(a); }

inline void reference(const BitwiseLeftShift&, ReferenceArgs& a) {
  const auto bits = static_cast<int64_t>(8 * size_of(a.out(0).dtype()));
  reference_bitwise(a, [bits](int64_t x, int64_t y) {
    return y < 0 || y >= bits ? int64_t{0} : static_cast<int64_t>(static_cast<uint64_t>(x) << static_cast<uint64_t>(y));
  });
}

inline constexpr const OpSchema* bitwise_left_shift_op = &kOpSchema<BitwiseLeftShift>;

}  // namespace coracle::internal
