// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/buffer.h"
#include "ops/reduce/reduction.h"

namespace coracle::internal {

/// What stands for the middle of an even number of elements.
enum class MiddleOfTwo : uint8_t { kAverage, kLower };

inline std::span<const std::string_view> names_of(MiddleOfTwo) {
  static constexpr std::string_view kNames[] = {"avg", "min"};
  return kNames;
}

/// What median and nanmedian have in common. No axis means all. The second result is where the middle element is among
/// those that it is of: the last of equal ones, the first that is not a number if that is the result. For averages it
/// is for training only.
struct MedianOperator {
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("medians", "MedianIndex")};
  Ints axis;
  bool keepdim = true;
  MiddleOfTwo mode = MiddleOfTwo::kAverage;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("keepdim", keepdim);
    visit("mode", mode);
  }
  friend bool operator==(const MedianOperator&, const MedianOperator&) = default;
};

inline void infer_median(const MedianOperator& op, InferArgs& a) {
  require(a.out_count(1) == 0 || op.mode == MiddleOfTwo::kLower, ErrorCode::kUnsupported,
          "only the first result is supported where mode is avg");
  const Shape y = reduced_shape(a.shape(0), &op.axis, false, op.keepdim);
  a.set(0, a.dtype(0), y);
  if (a.out_count(1) > 0) a.set(1, DType::kInt64, y);
}

/// The middle of `values`; of what is not a number only with `skip_nan`.
inline double middle_of(Buffer<double>& values, MiddleOfTwo mode, bool skip_nan) {
  const auto numbers = std::partition(values.begin(), values.end(), [](double v) { return !std::isnan(v); });
  const bool none = numbers == values.begin();
  if (none || (!skip_nan && numbers != values.end())) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), numbers);
  const auto count = static_cast<size_t>(numbers - values.begin());
  const double lower = values[(count - 1) / 2];
  return mode == MiddleOfTwo::kLower || count % 2 == 1 ? lower : (lower + values[count / 2]) / 2;
}

/// Where `middle` is in the group that it is of.
inline int64_t place_of_middle(const Buffer<double>& group, double middle) {
  if (std::isnan(middle)) {
    const auto first = std::find_if(group.begin(), group.end(), [](double v) { return std::isnan(v); });
    return first == group.end() ? 0 : first - group.begin();
  }
  const auto last = std::find(group.rbegin(), group.rend(), middle);
  return group.rend() - last - 1;
}

inline void reference_median(const MedianOperator& op, ReferenceArgs& a, bool skip_nan) {
  const Buffer<double> x = a.doubles(0);
  std::vector<Buffer<double>> groups(static_cast<size_t>(a.out(0).count()), Buffer<double>(a.context()));
  const ReductionWalk walk(a.shape(0), reduced_dimensions(op.axis, false, a.shape(0).rank()));
  walk.each(a.context(),
            [&](int64_t r, int64_t i) { groups[static_cast<size_t>(r)].push_back(x[static_cast<size_t>(i)]); });
  Buffer<double> y(a.context());
  Buffer<int64_t> places(a.context());
  for (Buffer<double>& group : groups) {
    const Buffer<double> unsorted = a.wants(1) ? group : Buffer<double>(a.context());
    y.push_back(middle_of(group, op.mode, skip_nan));
    if (a.wants(1)) places.push_back(place_of_middle(unsorted, y.back()));
  }
  a.out(0).assign(a.context(), std::span<const double>(y));
  if (a.wants(1)) std::copy(places.begin(), places.end(), a.out(1).data<int64_t>());
}

}  // namespace coracle::internal
