// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/common/binary.h"

namespace coracle::internal {

/// out = the smaller; NaN wins
struct Minimum : BinaryOperator {
  static constexpr const char* kName = "minimum";
  static constexpr const char* kLegacy[] = {"elementwise_min"};
  static void lower(Lowering& l) { lower_binary<Minimum>(l); }
  friend bool operator==(const Minimum&, const Minimum&) = default;
};

inline void infer(const Minimum&, InferArgs& a) { infer_binary(a); }

inline void reference(const Minimum&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) { return x != x ? x : (y != y ? y : std::min(x, y)); });
}

inline constexpr const OpSchema* minimum_op = &kOpSchema<Minimum>;

}  // namespace coracle::internal
