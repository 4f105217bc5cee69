// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/indices.h"
#include "ops/loss/losses.h"

namespace coracle::internal {

/// The negative of x [N, C, ...] at the class that label [N, ...] names, times the weight of that class.
struct NllLoss {
  static constexpr const char* kName = "nll_loss";
  static constexpr const char* kLegacy[] = {"nll_loss"};
  static constexpr Port kInputs[] = {in("input", "X"), in("label", "Label"), optional_in("weight", "Weight")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("total_weight", "Total_weight")};
  int64_t ignore_index = -100;
  LossReduction reduction = LossReduction::kMean;
  void attributes(AttributeVisitor& visit) {
    visit("ignore_index", ignore_index);
    visit("reduction", reduction);
  }
  friend bool operator==(const NllLoss&, const NllLoss&) = default;
};

inline void infer(const NllLoss& op, InferArgs& a) {
  Shape x = a.shape(0);
  require(is_float(a.dtype(0)), "input is ", a.dtype(0), ", expected a real type");
  require(is_integer(a.dtype(1)), "label is ", a.dtype(1), ", expected integers");
  require(op.reduction != LossReduction::kBatchMean, "reduction is batchmean");
  if (x.rank_known()) {
    require(x.rank() >= 2, "input is ", x, ", expected [N, C, ...]");
    if (a.has(2) && a.shape(2).known() && x[1] >= 0) {
      require(a.shape(2).count() == x[1], "weight is ", a.shape(2), ", but input ", x);
    }
    x.erase(1);
    require(compatible(x, a.shape(1)), "label is ", a.shape(1), ", expected ", x);
  }
  a.set(0, a.dtype(0), op.reduction == LossReduction::kNone ? x : Shape{});
  a.set(1, a.dtype(0), Shape{});
}

inline void reference(const NllLoss& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t inner = s.count(2, s.rank());
  const Buffer<double> x = a.doubles(0);
  const Buffer<int64_t> labels = a.integers(1);
  const Buffer<double> weights = a.has(2) ? a.doubles(2) : Buffer<double>(static_cast<size_t>(s[1]), 1.0, a.context());
  Buffer<double> losses(a.context());
  double sum = 0;
  double total = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    double loss = 0;
    if (labels[i] != op.ignore_index) {
      const auto at = static_cast<int64_t>(i);
      const int64_t label = checked_index(labels[i], s[1], "Label", at);
      const double weight = weights[static_cast<size_t>(label)];
      loss = -weight * x[static_cast<size_t>((at / inner * s[1] + label) * inner + at % inner)];
      total += weight;
    }
    losses.push_back(loss);
    sum += loss;
  }
  if (op.reduction == LossReduction::kNone) {
    a.out(0).assign(a.context(), std::span<const double>(losses));
    total = 0;
  } else {
    if (op.reduction == LossReduction::kMean && total != 0) sum /= total;
    a.out(0).assign(a.context(), std::span<const double>(&sum, 1));
  }
  if (a.wants(1)) a.out(1).assign(a.context(), std::span<const double>(&total, 1));
}

inline constexpr const OpSchema* nll_loss_op = &kOpSchema<NllLoss>;

}  // namespace coracle::internal
