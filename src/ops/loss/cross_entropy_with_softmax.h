// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/activation/softmax_rows.h"
#include "ops/common/indices.h"
#include "ops/common/lines.h"
#include "ops/common/sharing_lod.h"
#include "ops/loss/losses.h"

namespace coracle::internal {

/// Cross entropy of softmax(x) along `axis` (without use_softmax: of x itself) with labels: a class for each line, or
/// with soft_label its probabilities.
struct CrossEntropyWithSoftmax {
  static constexpr const char* kName = "cross_entropy_with_softmax";
  static constexpr const char* kLegacy[] = {"softmax_with_cross_entropy"};
  static constexpr Port kInputs[] = {in("input", "Logits"), in("label", "Label")};
  static constexpr Port kOutputs[] = {out("softmax", "Softmax"), out("loss", "Loss")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool soft_label = false;
  bool use_softmax = true;
  int ignore_index = -100;
  int axis = -1;
  void attributes(AttributeVisitor& visit) {
    visit("soft_label", soft_label);
    visit("use_softmax", use_softmax);
    visit("ignore_index", ignore_index);
    visit("axis", axis);
  }
  friend bool operator==(const CrossEntropyWithSoftmax&, const CrossEntropyWithSoftmax&) = default;
};

inline void infer(const CrossEntropyWithSoftmax& op, InferArgs& a) {
  Shape x = a.shape(0);
  require(is_float(a.dtype(0)), "input is ", a.dtype(0), ", expected a real type");
  require(op.soft_label ? a.dtype(1) == a.dtype(0) : is_integer(a.dtype(1)), "label is ", a.dtype(1), ", input ",
          a.dtype(0));
  a.set(0, a.dtype(0), x);
  if (x.rank_known()) {
    require(x.rank() > 0, "input is a scalar");
    const int axis = normalize_axis(op.axis, x.rank());
    if (op.soft_label) require(compatible(x, a.shape(1)), "label is ", a.shape(1), ", but input ", x);
    x[axis] = 1;
    const bool fits = op.soft_label || !x.known() || !a.shape(1).known() || a.shape(1).count() == x.count();
    require(fits, "label is ", a.shape(1), ", expected ", x);
  }
  a.set(1, a.dtype(0), x);
  share_lod(a, 1, 0);
}

inline void reference(const CrossEntropyWithSoftmax& op, ReferenceArgs& a) {
  const Lines lines(a.shape(0), op.axis);
  Buffer<double> x = a.doubles(0);
  const Buffer<double> soft = op.soft_label ? a.doubles(1) : Buffer<double>(a.context());
  const std::vector<int64_t> hard = op.soft_label ? std::vector<int64_t>{} : a.in(1).integers(a.context());
  Buffer<double> losses(a.context());
  lines.each(a.context(), [&](int64_t start) {
    const auto at = [&](int64_t i) { return static_cast<size_t>(start + i * lines.inner); };
    double largest = 0;
    double log_sum = 0;
    if (op.use_softmax && lines.length > 0) {
      largest = x[at(0)];
      for (int64_t i = 1; i < lines.length; ++i) largest = std::max(largest, x[at(i)]);
      double sum = 0;
      for (int64_t i = 0; i < lines.length; ++i) sum += std::exp(softmax_exponent(x[at(i)] - largest));
      log_sum = std::log(sum);
    }
    const auto log_of = [&](int64_t i) {
      return op.use_softmax ? softmax_exponent(x[at(i)] - largest) - log_sum : std::log(x[at(i)]);
    };
    double loss = 0;
    if (op.soft_label) {
      for (int64_t i = 0; i < lines.length; ++i) loss -= soft[at(i)] * log_of(i);
    } else {
      const size_t line = losses.size();
      if (hard[line] != op.ignore_index) {
        loss = -log_of(checked_index(hard[line], lines.length, "Label", static_cast<int64_t>(line)));
      }
    }
    losses.push_back(loss);
    for (int64_t i = 0; i < lines.length && op.use_softmax; ++i) x[at(i)] = std::exp(log_of(i));
  });
  a.out(0).assign(a.context(), std::span<const double>(x));
  a.out(1).assign(a.context(), std::span<const double>(losses));
}

inline constexpr const OpSchema* cross_entropy_with_softmax_op = &kOpSchema<CrossEntropyWithSoftmax>;

}  // namespace coracle::internal
