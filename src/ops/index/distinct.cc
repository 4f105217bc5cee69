// SPDX-License-Identifier: Apache-2.0
#include "ops/index/distinct.h"

#include <algorithm>
#include <span>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/index/gathering.h"
#include "ops/index/sorting.h"

namespace coracle::internal {
namespace {

/// x as [slices, width], each slice contiguous.
Tensor contiguous_slices(const RunContext& context, const Tensor& x, const Ints& axes) {
  if (axes.empty() || x.shape().is_scalar()) return x.reshaped(Shape{x.count(), 1});
  const int axis = normalize_axis(axes[0], x.shape().rank());
  const Around around(x.shape(), axis);
  ElementWalk read;
  read.push_back(around.dim, around.inner);
  read.push_back(around.outer, around.dim * around.inner);
  read.push_back(around.inner, 1);
  Tensor slices = Tensor::make(context, x.dtype(), Shape{around.dim, around.outer * around.inner});
  gather_elements(context, x, read, slices);
  return slices;
}

}  // namespace

Distinct distinct_slices(const RunContext& context, const Tensor& x, const Ints& axes, Distinct::Order order) {
  const Tensor slices = contiguous_slices(context, x, axes);
  const int64_t n = slices.shape()[0];
  const int64_t width = slices.shape()[1];
  Distinct found(context);
  found.inverse.resize(static_cast<size_t>(n));
  LoopCheck check(context);
  Buffer<int64_t> keys(static_cast<size_t>(n * width), context);
  in_blocks(context, keys.size(), [&](size_t begin, size_t end) {
    take_keys(slices, static_cast<int64_t>(begin), 1, false, std::span(keys).subspan(begin, end - begin));
  });
  const bool has_nan = is_float(x.dtype());  // the largest, and each one differs from the others
  const auto slice = [&](int64_t i) {
    return std::span(keys).subspan(static_cast<size_t>(i * width), static_cast<size_t>(width));
  };
  const auto same = [&](int64_t a, int64_t b) {
    step_of_sort(check);
    return std::ranges::equal(slice(a), slice(b)) && !(has_nan && std::ranges::count(slice(a), kNanKey) != 0);
  };
  Buffer<int64_t> sequence(static_cast<size_t>(n), context);
  in_blocks(context, sequence.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) sequence[i] = static_cast<int64_t>(i);
  });
  if (order != Distinct::Order::kConsecutive) {
    std::stable_sort(sequence.begin(), sequence.end(), [&](int64_t a, int64_t b) {
      step_of_sort(check);
      return std::ranges::lexicographical_compare(slice(a), slice(b));
    });
  }
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (i == 0 || !same(sequence[i - 1], sequence[i])) {
      found.first.push_back(sequence[i]);
      found.counts.push_back(0);
    }
    ++found.counts.back();
    found.inverse[static_cast<size_t>(sequence[i])] = static_cast<int64_t>(found.first.size()) - 1;
  }
  if (order != Distinct::Order::kAppearance) return found;
  Buffer<int64_t> by_first(found.first.size(), context);
  sort_positions(found.first, by_first, check);
  Distinct result(context);
  result.inverse.reserve(found.inverse.size());
  Buffer<int64_t> place(by_first.size(), context);
  for (size_t i = 0; i < by_first.size(); ++i) {
    check.step();
    const auto from = static_cast<size_t>(by_first[i]);
    place[from] = static_cast<int64_t>(i);
    result.first.push_back(found.first[from]);
    result.counts.push_back(found.counts[from]);
  }
  for (int64_t i : found.inverse) {
    check.step();
    result.inverse.push_back(place[static_cast<size_t>(i)]);
  }
  return result;
}

void infer_distinct(InferArgs& a, const Ints& axes, DType index, int inverse_port, std::initializer_list<int> ports) {
  const Shape& x = a.shape(0);
  require(axes.size() <= 1, "distinct slices along ", axes.size(), " axes, expected one");
  for (int port : ports) a.set(port, index, Shape{Shape::kUnknown});
  if (axes.empty()) {
    a.set(0, a.dtype(0), Shape{Shape::kUnknown});
    a.set(inverse_port, index, Shape{x.known() ? x.count() : Shape::kUnknown});
    return;
  }
  Shape y = x;
  int64_t dim = Shape::kUnknown;
  if (x.is_scalar()) {
    y = Shape{Shape::kUnknown};
    dim = 1;
  } else if (x.rank_known()) {
    const int axis = normalize_axis(axes[0], x.rank());
    dim = x[axis];
    y[axis] = Shape::kUnknown;
  }
  a.set(0, a.dtype(0), y);
  a.set(inverse_port, index, Shape{dim});
}

void take_distinct(ReferenceArgs& a, const Ints& axes, const Distinct& distinct) {
  const Tensor& x = a.in(0);
  const bool flat = axes.empty() || x.shape().is_scalar();
  const Tensor from = flat ? x.reshaped(Shape{x.count()}) : x;
  const int axis = flat ? 0 : normalize_axis(axes[0], x.shape().rank());
  Shape y = from.shape();
  y[axis] = static_cast<int64_t>(distinct.first.size());
  a.out(0) = a.make(x.dtype(), y);
  gather_slices(a.context(), from, Tensor::ints(a.context(), distinct.first), axis, a.out(0));
}

Tensor index_row(const RunContext& context, std::span<const int64_t> values, DType dtype) {
  if (dtype == DType::kInt64) return Tensor::ints(context, values);
  const std::vector<int32_t> narrow(values.begin(), values.end());
  return Tensor::of<int32_t>(context, Shape{static_cast<int64_t>(narrow.size())}, narrow);
}

}  // namespace coracle::internal
