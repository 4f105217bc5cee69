// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/common/indices.h"
#include "ops/loss/losses.h"

namespace coracle::internal {

/// The loss of a softmax over a binary tree of classes. x is [N, D]; each inner node of the tree has a row of w and a
/// number of bias, and the way from the root to the class of a row makes a yes or no at each. Without path_table and
/// path_code the tree is the complete one of num_classes leaves; with them [N, length], a row has the nodes of its way
/// and the answers at them, and ends at the first node below 0. pre_out [N, length] is log(1 + exp) of the scores on
/// the way; where a way is shorter, the score is 0 and counts (log 2), as in Paddle.
struct HsigmoidLoss {
  static constexpr const char* kName = "hsigmoid_loss";
  static constexpr const char* kLegacy[] = {"hierarchical_sigmoid"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     in("label", "Label"),
                                     weight_in("w", "W"),
                                     optional_weight_in("bias", "Bias"),
                                     optional_in("path", "PathTable"),
                                     optional_in("code", "PathCode")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("pre_out", "PreOut"),
                                      optional_out("w_out", "W_Out")};
  int64_t num_classes = 2;
  void attributes(AttributeVisitor& visit) { visit("num_classes", num_classes); }
  friend bool operator==(const HsigmoidLoss&, const HsigmoidLoss&) = default;

  /// Answers on the longest way to a leaf of the complete tree.
  int64_t depth() const { return std::bit_width(static_cast<uint64_t>(num_classes - 1)); }
};

inline void infer(const HsigmoidLoss& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& w = a.shape(2);
  require(is_float(a.dtype(0)) && a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and w ", a.dtype(2),
          ", expected the same real type");
  require(is_integer(a.dtype(1)), "label is ", a.dtype(1), ", expected integers");
  require(op.num_classes >= 2 && op.num_classes < int64_t{1} << 40, "num_classes is ", op.num_classes,
          ", expected 2 or more");
  require(!x.rank_known() || x.rank() == 2, "x is ", x, ", expected 2 dimensions");
  require(!w.rank_known() || w.rank() == 2, "w is ", w, ", expected 2 dimensions");
  if (x.known() && w.known()) require(x[1] == w[1], "x is ", x, " and w ", w);
  const int64_t rows = x.rank_known() ? x[0] : Shape::kUnknown;
  if (a.shape(1).known() && rows >= 0) {
    require(a.shape(1).count() == rows, "label is ", a.shape(1), ", expected a class for each of ", rows, " rows");
  }
  if (a.has(3)) {
    require(a.dtype(3) == a.dtype(0), "x is ", a.dtype(0), " and bias ", a.dtype(3));
    require(!a.shape(3).known() || !w.known() || a.shape(3).count() == w[0], "bias is ", a.shape(3), ", but w ", w);
  }
  require(a.has(4) == a.has(5), "there is a path_table or a path_code, expected both or none");
  int64_t length = op.depth();
  if (a.has(4)) {
    require(is_integer(a.dtype(4)) && is_integer(a.dtype(5)), "path_table is ", a.dtype(4), " and path_code ",
            a.dtype(5), ", expected integers");
    const Shape expected{rows, Shape::kUnknown};
    require(compatible(a.shape(4), expected) && compatible(a.shape(5), a.shape(4)), "path_table is ", a.shape(4),
            " and path_code ", a.shape(5), ", expected ", expected);
    length = a.shape(4).rank_known() ? a.shape(4)[1] : Shape::kUnknown;
  }
  a.set(0, a.dtype(0), Shape{rows, 1});
  a.set(1, a.dtype(0), Shape{rows, length});
  a.set(2, a.dtype(0), w);
}

inline void reference(const HsigmoidLoss& op, ReferenceArgs& a) {
  constexpr double kLargest = 40;  // a score is clipped to this
  const int64_t rows = a.shape(0)[0];
  const int64_t width = a.shape(0)[1];
  const int64_t nodes = a.shape(2)[0];
  const Buffer<double> x = a.doubles(0);
  const Buffer<double> w = a.doubles(2);
  const Buffer<double> bias = a.has(3) ? a.doubles(3) : Buffer<double>(static_cast<size_t>(nodes), 0.0, a.context());
  const Buffer<int64_t> labels = a.integers(1);
  const Buffer<int64_t> table = a.has(4) ? a.integers(4) : Buffer<int64_t>(a.context());
  const Buffer<int64_t> code = a.has(5) ? a.integers(5) : Buffer<int64_t>(a.context());
  const int64_t length = a.has(4) ? a.shape(4)[1] : op.depth();
  Buffer<double> losses(a.context());
  Buffer<double> scores(a.context());
  LoopCheck check(a.context());
  for (int64_t i = 0; i < rows; ++i) {
    // In the complete tree the root is 1, the children of node n are 2 n and 2 n + 1, and the leaves come last.
    int64_t leaf = 0;
    int64_t steps = 0;
    if (a.has(4)) {
      while (steps < length && table[static_cast<size_t>(i * length + steps)] >= 0) ++steps;
    } else {
      leaf = checked_index(labels[static_cast<size_t>(i)], op.num_classes, "Label", i) + op.num_classes;
      steps = std::bit_width(static_cast<uint64_t>(leaf)) - 1;
    }
    double loss = 0;
    for (int64_t j = 0; j < length; ++j) {
      double score = 0;
      bool yes = false;
      if (j < steps) {
        const auto at = static_cast<size_t>(i * length + j);
        const int64_t node = a.has(4) ? table[at] : (leaf >> (j + 1)) - 1;
        checked_index(node, nodes, a.has(4) ? "PathTable" : "Label", i);
        yes = a.has(4) ? code[at] != 0 : ((leaf >> j) & 1) != 0;
        score = bias[static_cast<size_t>(node)];
        for (int64_t d = 0; d < width; ++d) {
          score += w[static_cast<size_t>(node * width + d)] * x[static_cast<size_t>(i * width + d)];
        }
        score = std::clamp(score, -kLargest, kLargest);
      }
      check.step(16 + width);
      scores.push_back(std::log1p(std::exp(score)));
      loss += scores.back() - (yes ? score : 0.0);
    }
    losses.push_back(loss);
  }
  a.out(0).assign(a.context(), std::span<const double>(losses));
  if (a.wants(1)) a.out(1).assign(a.context(), std::span<const double>(scores));
  if (a.wants(2)) a.out(2).assign(a.context(), std::span<const double>(w));
}

inline constexpr const OpSchema* hsigmoid_loss_op = &kOpSchema<HsigmoidLoss>;

}  // namespace coracle::internal
