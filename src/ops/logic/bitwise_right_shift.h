// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/bitwise.h"

namespace coracle::internal {

/// out = x shifted to the right by y bits, filled with the sign if is_arithmetic, else with 0
struct BitwiseRightShift : BinaryOperator {
  static constexpr const char* kName = "bitwise_right_shift";
  static constexpr const char* kLegacy[] = {"bitwise_right_shift"};
  bool is_arithmetic = true;
  void attributes(AttributeVisitor& visit) { visit("is_arithmetic", is_arithmetic); }
  friend bool operator==(const BitwiseRightShift&, const BitwiseRightShift&) = default;
};

inline void infer(const BitwiseRightShift&, InferArgs& a) { infer_bitwise(a); }

inline void reference(const BitwiseRightShift& op, ReferenceArgs& a) {
  const auto bits = static_cast<int64_t>(8 * size_of(a.out(0).dtype()));
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << static_cast<uint64_t>(bits)) - 1;
  reference_bitwise(a, [=, &op](int64_t x, int64_t y) {
    if (y < 0 || y >= bits) return op.is_arithmetic && x < 0 ? int64_t{-1} : int64_t{0};
    if (op.is_arithmetic) return x >> y;
    return static_cast<int64_t>((static_cast<uint64_t>(x) & mask) >> static_cast<uint64_t>(y));
  });
}

inline constexpr const OpSchema* bitwise_right_shift_op = &kOpSchema<BitwiseRightShift>;

}  // namespace coracle::internal
