// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = logarithm to base 2
struct Log2 : UnaryOperator {
  static constexpr const char* kName = "log2";
  static constexpr const char* kLegacy[] = {"log2"};
  friend bool operator==(const Log2&, const Log2&) = default;
};

inline void infer(const Log2&, InferArgs& a) { infer_real_function(a); }

inline void reference(const Log2&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return std::log2(x);
    else
      return std::log(x) / std::log(2.0);
  });
}

inline std::optional<UnaryStep> unary_step(const Log2&, const NodeFacts&) { return unary(UnaryKind::kLog2); }

inline constexpr const OpSchema* log2_op = &kOpSchema<Log2>;

}  // namespace coracle::internal
