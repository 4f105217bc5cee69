// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/common/binary.h"

namespace coracle::internal {

/// out = the larger; NaN wins
struct Maximum : BinaryOperator {
  static constexpr const char* kName = "maximum";
  static constexpr const char* kLegacy[] = {"elementwise_max"};
  static void lower(Lowering& l) { lower_binary<Maximum>(l); }
  friend bool operator==(const Maximum&, const Maximum&) = default;
};

inline void infer(const Maximum&, InferArgs& a) { infer_binary(a); }

inline void reference(const Maximum&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) { return x != x ? x : (y != y ? y : std::max(x, y)); });
}

inline constexpr const OpSchema* maximum_op = &kOpSchema<Maximum>;

}  // namespace coracle::internal
