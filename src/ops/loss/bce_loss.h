// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/loss/losses.h"

namespace coracle::internal {

/// Binary cross entropy of probabilities x with labels; logarithms are at least -100.
struct BceLoss {
  static constexpr const char* kName = "bce_loss";
  static constexpr const char* kLegacy[] = {"bce_loss"};
  static constexpr Port kInputs[] = {in("input", "X"), in("label", "Label")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const BceLoss&, const BceLoss&) = default;
};

inline void infer(const BceLoss&, InferArgs& a) {
  check_loss_operands(a);
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const BceLoss&, ReferenceArgs& a) {
  reference_loss(a, 0, [](double x, double label) {
    return (label - 1) * std::max(std::log(1 - x), -100.0) - label * std::max(std::log(x), -100.0);
  });
}

inline constexpr const OpSchema* bce_loss_op = &kOpSchema<BceLoss>;

}  // namespace coracle::internal
