// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/binary.h"
#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {

/// out = x with the sign of y; of integers, too
struct Copysign : BinaryOperator {
  static constexpr const char* kName = "copysign";
  static constexpr const char* kLegacy[] = {"copysign"};
  friend bool operator==(const Copysign&, const Copysign&) = default;
};

inline void infer(const Copysign&, InferArgs& a) { infer_binary(a); }

inline void reference(const Copysign&, ReferenceArgs& a) {
  reference_binary(a, [](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>) {
      return (x < 0) == (y < 0) ? x : wrapped_difference(T{0}, x);
    } else {
      return std::copysign(x, y);
    }
  });
}

inline constexpr const OpSchema* copysign_op = &kOpSchema<Copysign>;

}  // namespace coracle::internal
