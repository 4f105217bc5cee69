// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "graph/lowering.h"
#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// The nearest integer (of x * 10^decimals). Paddle 2 sends halves away from zero, Paddle 3 to the even one: the
/// file's version decides.
struct Round : UnaryOperator {
  static constexpr const char* kName = "round";
  static constexpr const char* kLegacy[] = {"round"};
  int decimals = 0;
  bool half_even = false;
  void attributes(AttributeVisitor& visit) {
    visit("decimals", decimals);
    visit("half_even", half_even);
  }
  friend bool operator==(const Round&, const Round&) = default;
  static void lower(Lowering& l);
};

inline void infer(const Round&, InferArgs& a) { infer_unary(a); }

inline void reference(const Round& op, ReferenceArgs& a) {
  const double factor = std::pow(10.0, op.decimals);
  reference_unary(a, [&](double x) {
    const double y = x * factor;
    return (op.half_even ? std::nearbyint(y) : std::round(y)) / factor;
  });
}

inline std::optional<UnaryStep> unary_step(const Round& op, const NodeFacts&) {
  if (op.decimals != 0) return std::nullopt;
  return unary(op.half_even ? UnaryKind::kRoundHalfEven : UnaryKind::kRoundHalfAway);
}

inline void Round::lower(Lowering& l) {
  Round op = l.read<Round>();
  op.half_even = l.is_pir() || l.program_version() >= 3000000;
  const PortValues ports = l.ports_of(kOpSchema<Round>);
  l.bind("Out", l.add(op, ports));
}

inline constexpr const OpSchema* round_op = &kOpSchema<Round>;

}  // namespace coracle::internal
