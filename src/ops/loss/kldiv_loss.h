// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/loss/losses.h"

namespace coracle::internal {

/// Kullback-Leibler divergence of logarithms of probabilities x from labels (with log_target logarithms, too).
struct KldivLoss {
  static constexpr const char* kName = "kldiv_loss";
  static constexpr const char* kLegacy[] = {"kldiv_loss"};
  static constexpr Port kInputs[] = {in("x", "X"), in("label", "Target")};
  static constexpr Port kOutputs[] = {out("out", "Loss")};
  LossReduction reduction = LossReduction::kMean;
  bool log_target = false;
  void attributes(AttributeVisitor& visit) {
    visit("reduction", reduction);
    visit("log_target", log_target);
  }
  friend bool operator==(const KldivLoss&, const KldivLoss&) = default;
};

inline void infer(const KldivLoss& op, InferArgs& a) {
  check_loss_operands(a);
  a.set(0, a.dtype(0), op.reduction == LossReduction::kNone ? a.shape(0) : Shape{});
}

inline void reference(const KldivLoss& op, ReferenceArgs& a) {
  const auto loss = [&](double x, double label) {
    if (op.log_target) return std::exp(label) * (label - x);
    return label > 0 ? label * (std::log(label) - x) : 0.0;
  };
  if (op.reduction == LossReduction::kNone) return reference_loss(a, 0, loss);
  const Buffer<double> x = a.doubles(0);
  const Buffer<double> label = a.doubles(1);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += loss(x[i], label[i]);
  const Shape& s = a.shape(0);
  if (op.reduction == LossReduction::kMean) sum /= static_cast<double>(x.size());
  if (op.reduction == LossReduction::kBatchMean) sum /= static_cast<double>(s.rank() > 0 ? s[0] : 1);
  a.out(0).assign(a.context(), std::span<const double>(&sum, 1));
}

inline constexpr const OpSchema* kldiv_loss_op = &kOpSchema<KldivLoss>;

}  // namespace coracle::internal
