// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ops/activation/unary.h"
#include "ops/activation/unary_step.h"

namespace coracle::internal {

/// out = min(max(x, min), max)
struct Clip {
  static constexpr const char* kName = "clip";
  static constexpr const char* kLegacy[] = {"clip"};
  static constexpr Port kInputs[] = {in("x", "X"), value_in("min", "min", "Min"), value_in("max", "max", "Max")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Clip&, const Clip&) = default;
};

inline void infer(const Clip&, InferArgs& a) { infer_unary(a); }

inline void reference(const Clip&, ReferenceArgs& a) {
  const double low = a.has(1) ? a.in(1).number(0) : -std::numeric_limits<double>::infinity();
  const double high = a.has(2) ? a.in(2).number(0) : std::numeric_limits<double>::infinity();
  reference_unary(a, [=](double x) { return x != x ? x : std::min(std::max(x, low), high); });
}

inline std::optional<UnaryStep> unary_step(const Clip&, const NodeFacts& f) {
  const auto low = f.number(1, -std::numeric_limits<double>::infinity());
  const auto high = f.number(2, std::numeric_limits<double>::infinity());
  if (!low || !high) return std::nullopt;
  return unary(UnaryKind::kClip, *low, *high);
}

inline constexpr const OpSchema* clip_op = &kOpSchema<Clip>;

}  // namespace coracle::internal
