// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/loss/losses.h"

namespace coracle::internal {

/// Binary cross entropy of sigmoid(x) with labels; 0 where the whole part of the label is ignore_index. With pos_weight
/// (of one element or x's shape) the positive part counts that often; with `normalize` losses are divided by how many
/// count.
struct SigmoidCrossEntropyWithLogits {
  static constexpr const char* kName = "sigmoid_cross_entropy_with_logits";
  static constexpr const char* kLegacy[] = {"sigmoid_cross_entropy_with_logits"};
  static constexpr Port kInputs[] = {in("x", "X"), in("label", "Label"), optional_in("pos_weight", "pos_weight")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool normalize = false;
  int ignore_index = -100;
  void attributes(AttributeVisitor& visit) {
    visit("normalize", normalize);
    visit("ignore_index", ignore_index);
  }
  friend bool operator==(const SigmoidCrossEntropyWithLogits&, const SigmoidCrossEntropyWithLogits&) = default;
};

inline void infer(const SigmoidCrossEntropyWithLogits&, InferArgs& a) {
  check_loss_operands(a);
  if (a.has(2) && a.shape(2).known() && a.shape(0).known()) {
    require(a.shape(2).count() == 1 || a.shape(2).count() == a.shape(0).count(), "pos_weight is ", a.shape(2),
            ", but x ", a.shape(0));
  }
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const SigmoidCrossEntropyWithLogits& op, ReferenceArgs& a) {
  const Buffer<double> label = a.doubles(1);
  Buffer<double> x = a.doubles(0);
  const Buffer<double> weight = a.has(2) ? a.doubles(2) : Buffer<double>(1, 1.0, a.context());
  double counted = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::trunc(label[i]) == op.ignore_index) {
      x[i] = 0;
      continue;
    }
    ++counted;
    const double small = std::log1p(std::exp(-std::fabs(x[i])));
    if (a.has(2)) {
      const double positive = (weight[weight.size() == 1 ? 0 : i] - 1) * label[i] + 1;
      x[i] = (1 - label[i]) * x[i] + positive * (small + std::max(-x[i], 0.0));
    } else {
      x[i] = std::max(x[i], 0.0) - x[i] * label[i] + small;  // in Paddle's order, which infinities show
    }
  }
  if (op.normalize) {
    for (double& v : x) v /= std::max(counted, 1e-5);
  }
  a.out(0).assign(a.context(), std::span<const double>(x));
}

inline constexpr const OpSchema* sigmoid_cross_entropy_with_logits_op = &kOpSchema<SigmoidCrossEntropyWithLogits>;

}  // namespace coracle::internal
