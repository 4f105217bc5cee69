// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/common/binary.h"

namespace coracle::internal {

/// out = the larger; NaN loses
struct Fmax : BinaryOperator {
  static constexpr const char* kName = "fmax";
  static constexpr const char* kLegacy[] = {"elementwise_fmax"};
  static void lower(Lowering& l) { lower_binary<Fmax>(l); }
  friend bool operator==(const Fmax&, const Fmax&) = default;
};

inline void infer(const Fmax&, InferArgs& a) { infer_binary(a); }

inline void reference(const Fmax&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) { return x != x ? y : (y != y ? x : std::max(x, y)); });
}

inline constexpr const OpSchema* fmax_op = &kOpSchema<Fmax>;

}  // namespace coracle::internal
