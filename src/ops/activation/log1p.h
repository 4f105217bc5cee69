// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = log(1 + x)
struct Log1p : UnaryOperator {
  static constexpr const char* kName = "log1p";
  static constexpr const char* kLegacy[] = {"log1p"};
  friend bool operator==(const Log1p&, const Log1p&) = default;
};

inline void infer(const Log1p&, InferArgs& a) { infer_real_function(a); }

inline void reference(const Log1p&, ReferenceArgs& a) {
  reference_unary(a, [](auto x) {
    if constexpr (std::is_floating_point_v<decltype(x)>)
      return std::log1p(x);
    else
      return std::log(1.0 + x);
  });
}

inline std::optional<UnaryStep> unary_step(const Log1p&, const NodeFacts&) { return unary(UnaryKind::kLog1p); }

inline constexpr const OpSchema* log1p_op = &kOpSchema<Log1p>;

}  // namespace coracle::internal
