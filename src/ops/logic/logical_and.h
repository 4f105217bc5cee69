// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = x and y, where anything but zero is true
struct LogicalAnd : BinaryOperator {
  static constexpr const char* kName = "logical_and";
  static constexpr const char* kLegacy[] = {"logical_and"};
  static void lower(Lowering& l) { lower_binary<LogicalAnd>(l); }
  friend bool operator==(const LogicalAnd&, const LogicalAnd&) = default;
};

inline void infer(const LogicalAnd&, InferArgs& a) { infer_comparison(a); }

inline void reference(const LogicalAnd&, ReferenceArgs& a) {
  reference_comparison(a, [](auto x, auto y) { return (x != 0) && (y != 0); });
}

inline constexpr const OpSchema* logical_and_op = &kOpSchema<LogicalAnd>;

}  // namespace coracle::internal
