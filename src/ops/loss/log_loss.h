// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/loss/losses.h"

namespace coracle::internal {

/// -label * log(x + epsilon) - (1 - label) * log(1 - x + epsilon)
struct LogLoss {
  static constexpr const char* kName = "log_loss";
  static constexpr const char* kLegacy[] = {"log_loss"};
  static constexpr Port kInputs[] = {in("input", "Predicted"), in("label", "Labels")};
  static constexpr Port kOutputs[] = {out("out", "Loss")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double epsilon = 1e-4;
  void attributes(AttributeVisitor& visit) { visit("epsilon", epsilon); }
  friend bool operator==(const LogLoss&, const LogLoss&) = default;
};

inline void infer(const LogLoss&, InferArgs& a) {
  check_loss_operands(a);
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const LogLoss& op, ReferenceArgs& a) {
  reference_loss(a, 0, [&](double x, double label) {
    return -label * std::log(x + op.epsilon) - (1 - label) * std::log(1 - x + op.epsilon);
  });
}

inline constexpr const OpSchema* log_loss_op = &kOpSchema<LogLoss>;

}  // namespace coracle::internal
