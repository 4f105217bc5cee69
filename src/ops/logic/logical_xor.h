// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/logic/comparison.h"

namespace coracle::internal {

/// out = x or y but not both, where anything but zero is true
struct LogicalXor : BinaryOperator {
  static constexpr const char* kName = "logical_xor";
  static constexpr const char* kLegacy[] = {"logical_xor"};
  static void lower(Lowering& l) { lower_binary<LogicalXor>(l); }
  friend bool operator==(const LogicalXor&, const LogicalXor&) = default;
};

inline void infer(const LogicalXor&, InferArgs& a) { infer_comparison(a); }

inline void reference(const LogicalXor&, ReferenceArgs& a) {
  reference_comparison(a, [](auto x, auto y) { return (x != 0) != (y != 0); });
}

inline constexpr const OpSchema* logical_xor_op = &kOpSchema<LogicalXor>;

}  // namespace coracle::internal
