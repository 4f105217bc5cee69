// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = the remainder with the sign of y
struct Remainder : BinaryOperator {
  static constexpr const char* kName = "remainder";
  static constexpr const char* kLegacy[] = {"elementwise_mod"};
  static void lower(Lowering& l) { lower_binary<Remainder>(l); }
  friend bool operator==(const Remainder&, const Remainder&) = default;
};

inline void infer(const Remainder&, InferArgs& a) { infer_binary(a); }

inline void reference(const Remainder&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) { return floor_remainder(x, y); });
}

inline constexpr const OpSchema* remainder_op = &kOpSchema<Remainder>;

}  // namespace coracle::internal
