// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/unary.h"
#include "ops/common/unary_step.h"

namespace coracle {

/// out = log(1 + x)
struct Log1p : UnaryOperator {
  static constexpr const char* kName = "log1p";
  static constexpr const char* kLegacy[] = {"log1p"};
  friend bool operator==(const Log1p&, const Log1p&) = default;
};

inline void infer(const Log1p&, InferArgs& a) { infer_unary(a); }

inline void reference(const Log1p&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::log1p(x); });
}

inline std::optional<UnaryStep> unary_step(const Log1p&, const NodeFacts&) { return unary(UnaryKind::kLog1p); }

inline constexpr const OpRow* log1p_op = &kOpRow<Log1p>;

}  // namespace coracle
