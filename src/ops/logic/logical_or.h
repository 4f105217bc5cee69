// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = x or y, where anything but zero is true
struct LogicalOr : BinaryOperator {
  static constexpr const char* kName = "logical_or";
  static constexpr const char* kLegacy[] = {"logical_or"};
  static void lower(Lowering& l) { lower_binary<LogicalOr>(l); }
  friend bool operator==(const LogicalOr&, const LogicalOr&) = default;
};

inline void infer(const LogicalOr&, InferArgs& a) { infer_comparison(a); }

inline void reference(const LogicalOr&, ReferenceArgs& a) {
  reference_comparison(a, [](auto x, auto y) { return (x != 0) || (y != 0); });
}

inline constexpr const OpSchema* logical_or_op = &kOpSchema<LogicalOr>;

}  // namespace coracle::internal
