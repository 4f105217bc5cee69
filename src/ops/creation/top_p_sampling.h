// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/creation/random.h"

namespace coracle::internal {

/// One position and its probability drawn from each row of x [N, classes]: of the most probable ones that together
/// reach ps[row], each by its share. Probabilities below threshold[row] do not count unless they are the largest. With
/// k above 0 also the k most probable ones.
struct TopPSampling {
  static constexpr const char* kName = "top_p_sampling";
  static constexpr const char* kLegacy[] = {"top_p_sampling"};
  static constexpr Port kInputs[] = {in("x", "x"), in("ps", "ps"), optional_in("threshold", "threshold"),
                                     optional_in("topp_seed", "topp_seed")};
  static constexpr Port kOutputs[] = {out("out", "out"), out("ids", "ids"), optional_out("topk_scores", "topk_scores"),
                                      optional_out("topk_ids", "topk_ids")};
  static constexpr bool kPure = false;
  int64_t seed = -1;
  int k = 0;
  void attributes(AttributeVisitor& visit) {
    visit("seed", seed);
    visit("k", k);
  }
  friend bool operator==(const TopPSampling&, const TopPSampling&) = default;
};

inline void infer(const TopPSampling& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(!x.rank_known() || (x.rank() == 2 && x[1] != 0), "x is ", x, ", expected [N, classes]");
  const int64_t rows = x.rank_known() ? x[0] : Shape::kUnknown;
  for (int port : {1, 2, 3}) {
    if (!a.has(port) || !a.shape(port).known() || rows < 0) continue;
    require(a.shape(port).count() == rows, "operand ", port, " is ", a.shape(port), " for ", rows, " rows");
  }
  require(op.k >= 0 && (!x.rank_known() || x[1] < 0 || op.k <= x[1]), "k is ", op.k, " for x ", x);
  a.set(0, a.dtype(0), Shape{rows, 1});
  a.set(1, DType::kInt64, Shape{rows, 1});
  a.set(2, a.dtype(0), Shape{rows, op.k});
  a.set(3, DType::kInt64, Shape{rows, op.k});
}

inline void reference(const TopPSampling& op, ReferenceArgs& a) {
  const int64_t rows = a.shape(0)[0];
  const int64_t classes = a.shape(0)[1];
  const Buffer<double> x = a.doubles(0);
  Buffer<double> chosen(a.context());
  Buffer<double> best(a.context());
  RandomStream random(op.seed);
  LoopCheck check(a.context());
  for (int64_t r = 0; r < rows; ++r) {
    check.step(classes);
    const double* row = x.data() + r * classes;
    std::vector<int64_t> order(static_cast<size_t>(classes));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [row](int64_t i, int64_t j) { return row[i] > row[j]; });
    const double wanted = a.in(1).number(r);
    const double threshold = a.has(2) ? a.in(2).number(r) : 0;
    double sum = 0;
    size_t count = 0;
    while (count < order.size() && (count == 0 || (sum < wanted && row[order[count]] >= threshold))) {
      sum += row[order[count++]];
    }
    if (a.has(3)) random = RandomStream(a.in(3).integer(r));
    double left = random.uniform() * sum;
    int64_t position = order[0];
    for (size_t i = 0; i < count; ++i) {
      position = order[i];
      left -= row[position];
      if (left < 0) break;
    }
    chosen.push_back(row[position]);
    if (a.wants(1)) a.out(1).data<int64_t>()[r] = position;
    for (int64_t i = 0; i < op.k; ++i) {
      best.push_back(row[order[static_cast<size_t>(i)]]);
      if (a.wants(3)) a.out(3).data<int64_t>()[r * op.k + i] = order[static_cast<size_t>(i)];
    }
  }
  a.out(0).assign(a.context(), std::span<const double>(chosen));
  if (a.wants(2)) a.out(2).assign(a.context(), std::span<const double>(best));
}

inline constexpr const OpSchema* top_p_sampling_op = &kOpSchema<TopPSampling>;

}  // namespace coracle::internal
