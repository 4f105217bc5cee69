// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/common/unary.h"
#include "ops/common/unary_step.h"

namespace coracle {

/// out = e^x - 1
struct Expm1 : UnaryOperator {
  static constexpr const char* kName = "expm1";
  static constexpr const char* kLegacy[] = {"expm1"};
  friend bool operator==(const Expm1&, const Expm1&) = default;
};

inline void infer(const Expm1&, InferArgs& a) { infer_unary(a); }

inline void reference(const Expm1&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return std::expm1(x); });
}

inline std::optional<UnaryStep> unary_step(const Expm1&, const NodeFacts&) { return unary(UnaryKind::kExpm1); }

inline constexpr const OpRow* expm1_op = &kOpRow<Expm1>;

}  // namespace coracle
