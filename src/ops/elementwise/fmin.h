// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/common/binary.h"

namespace coracle::internal {

/// out = the smaller; NaN loses
struct Fmin : BinaryOperator {
  static constexpr const char* kName = "fmin";
  static constexpr const char* kLegacy[] = {"elementwise_fmin"};
  static void lower(Lowering& l) { lower_binary<Fmin>(l); }
  friend bool operator==(const Fmin&, const Fmin&) = default;
};

inline void infer(const Fmin&, InferArgs& a) { infer_binary(a); }

inline void reference(const Fmin&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) { return x != x ? y : (y != y ? x : std::min(x, y)); });
}

inline constexpr const OpSchema* fmin_op = &kOpSchema<Fmin>;

}  // namespace coracle::internal
