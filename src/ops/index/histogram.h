// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "base/buffer.h"
#include "base/convert.h"
#include "base/long_loop.h"
#include "graph/op.h"

namespace coracle::internal {

/// How many elements lie in each of `bins` equal parts of min to max; both 0 stand for the range of the input. With
/// weights their sums, with `density` divided so that the area is 1 (both float32).
struct Histogram {
  static constexpr const char* kName = "histogram";
  static constexpr const char* kLegacy[] = {"histogram"};
  static constexpr Port kInputs[] = {in("input", "X"), optional_in("weight", "Weight")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t bins = 100;
  double min = 0;
  double max = 0;
  bool density = false;
  void attributes(AttributeVisitor& visit) {
    visit("bins", bins);
    visit("min", min);
    visit("max", max);
    visit("density", density);
  }
  friend bool operator==(const Histogram&, const Histogram&) = default;
};

inline void infer(const Histogram& op, InferArgs& a) {
  require(op.bins >= 1 && op.min <= op.max, "a histogram of ", op.bins, " bins from ", op.min, " to ", op.max);
  if (a.has(1)) {
    require(compatible(a.shape(0), a.shape(1)), "weight is ", a.shape(1), ", expected ", a.shape(0));
  }
  a.set(0, op.density || a.has(1) ? DType::kFloat32 : DType::kInt64, Shape{op.bins});
}

inline void reference(const Histogram& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const int64_t n = x.count();
  LoopCheck check(a.context());
  double low = op.min;
  double high = op.max;
  if (low == high && low == 0 && n > 0) {
    low = high = x.number(0);
    for (int64_t i = 0; i < n; ++i) {
      check.step();
      low = std::min(low, x.number(i));
      high = std::max(high, x.number(i));
    }
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  require(std::isfinite(low) && std::isfinite(high), ErrorCode::kRunFailure, "the range of the input is not finite");
  Buffer<double> sums(static_cast<size_t>(op.bins), 0.0, a.context());
  double total = 0;
  for (int64_t i = 0; i < n; ++i) {
    check.step();
    const double v = x.number(i);
    if (!(v >= low && v <= high)) continue;
    const int64_t bin = position((v - low) * static_cast<double>(op.bins) / (high - low));
    const double weight = a.has(1) ? a.in(1).number(i) : 1.0;
    sums[static_cast<size_t>(std::clamp<int64_t>(bin, 0, op.bins - 1))] += weight;
    total += weight;
  }
  const double area = op.density ? total * (high - low) / static_cast<double>(op.bins) : 1.0;
  for (int64_t b = 0; b < op.bins; ++b) {
    const double sum = sums[static_cast<size_t>(b)];
    if (a.out(0).dtype() == DType::kInt64) {
      a.out(0).data<int64_t>()[b] = convert<int64_t>(sum);
    } else {
      a.out(0).data<float>()[b] = static_cast<float>(sum / area);
    }
  }
}

inline constexpr const OpSchema* histogram_op = &kOpSchema<Histogram>;

}  // namespace coracle::internal
