// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"

namespace coracle::internal {

/// out = 1 for x > 0, y for x = 0, otherwise 0: for NaN, too
struct Heaviside : BinaryOperator {
  static constexpr const char* kName = "heaviside";
  static constexpr const char* kLegacy[] = {"elementwise_heaviside"};
  friend bool operator==(const Heaviside&, const Heaviside&) = default;
  static void lower(Lowering& l) { lower_binary<Heaviside>(l); }
};

inline void infer(const Heaviside&, InferArgs& a) { infer_binary(a); }

inline void reference(const Heaviside&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) {
    using T = decltype(x);
    return x == T(0) ? y : (x > T(0) ? T(1) : T(0));
  });
}

inline constexpr const OpSchema* heaviside_op = &kOpSchema<Heaviside>;

}  // namespace coracle::internal
