// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = the quotient rounded down
struct FloorDivide : BinaryOperator {
  static constexpr const char* kName = "floor_divide";
  static constexpr const char* kLegacy[] = {"elementwise_floordiv"};
  static void lower(Lowering& l) { lower_binary<FloorDivide>(l); }
  friend bool operator==(const FloorDivide&, const FloorDivide&) = default;
};

inline void infer(const FloorDivide&, InferArgs& a) { infer_binary(a); }

inline void reference(const FloorDivide&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) { return floor_quotient(x, y); });
}

inline constexpr const OpSchema* floor_divide_op = &kOpSchema<FloorDivide>;

}  // namespace coracle::internal
