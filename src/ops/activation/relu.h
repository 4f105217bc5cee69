// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = x > 0 ? x : 0, so 0 for what is not a number.
struct Relu : UnaryOperator {
  static constexpr const char* kName = "relu";
  static constexpr const char* kLegacy[] = {"relu"};
  friend bool operator==(const Relu&, const Relu&) = default;
};

inline void infer(const Relu&, InferArgs& a) { infer_unary(a); }

inline void reference(const Relu&, ReferenceArgs& a) {
  reference_unary(a, [](double x) { return x > 0 ? x : 0.0; });
}

inline std::optional<UnaryStep> unary_step(const Relu&, const NodeFacts&) { return unary(UnaryKind::kRelu); }

inline constexpr const OpSchema* relu_op = &kOpSchema<Relu>;

}  // namespace coracle::internal
