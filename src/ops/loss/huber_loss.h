// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/loss/losses.h"

namespace coracle::internal {

/// Of the residual r = label - x: r^2 / 2 up to `delta`, delta * (|r| - delta / 2) beyond.
struct HuberLoss {
  static constexpr const char* kName = "huber_loss";
  static constexpr const char* kLegacy[] = {"huber_loss"};
  static constexpr Port kInputs[] = {in("input", "X"), in("label", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("residual", "Residual")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double delta = 1;
  void attributes(AttributeVisitor& visit) { visit("delta", delta); }
  friend bool operator==(const HuberLoss&, const HuberLoss&) = default;
};

inline void infer(const HuberLoss&, InferArgs& a) {
  check_loss_operands(a);
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, a.dtype(0), a.shape(0));
}

inline void reference(const HuberLoss& op, ReferenceArgs& a) {
  reference_loss(a, 0, [&](double x, double label) {
    const double r = std::fabs(label - x);
    return r <= op.delta ? r * r / 2 : op.delta * (r - op.delta / 2);
  });
  if (a.wants(1)) reference_loss(a, 1, [](double x, double label) { return label - x; });
}

inline constexpr const OpSchema* huber_loss_op = &kOpSchema<HuberLoss>;

}  // namespace coracle::internal
