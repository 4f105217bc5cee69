// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = e^x - 1
struct Expm1 : UnaryOperator {
  static constexpr const char* kName = "expm1";
  static constexpr const char* kLegacy[] = {"expm1"};
  friend bool operator==(const Expm1&, const Expm1&) = default;
};

inline void infer(const Expm1&, InferArgs& a) { infer_real_function(a); }

inline void reference(const Expm1&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return std::expm1(x);
    else
      return std::exp(x) - 1.0;
  });
}

inline std::optional<UnaryStep> unary_step(const Expm1&, const NodeFacts&) { return unary(UnaryKind::kExpm1); }

inline constexpr const OpSchema* expm1_op = &kOpSchema<Expm1>;

}  // namespace coracle::internal
