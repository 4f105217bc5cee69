// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/common/operands.h"

namespace coracle::internal {

/// Result 0 of an operator that gives as many elements as operand `port` says.
inline void infer_spacing(InferArgs& a, int port, DType dtype) {
  int64_t count = Shape::kUnknown;
  if (const std::optional<double> n = a.number(port)) {
    require(*n >= 1 && *n < 9e15, "the number of elements is ", *n, ", expected 1 or more");
    count = static_cast<int64_t>(*n);
  }
  a.set(0, dtype, Shape{count});
}

/// f(index, position) for evenly spaced positions from start to stop, both included. The upper half counts from the
/// end.
template <class F>
void each_position(double start, double stop, int64_t n, const F& f) {
  const double step = n > 1 ? (stop - start) / static_cast<double>(n - 1) : 0.0;
  for (int64_t i = 0; i < n; ++i) {
    f(i, i < n / 2 || n == 1 ? start + step * static_cast<double>(i) : stop - step * static_cast<double>(n - i - 1));
  }
}

/// The number of a one-element operand, seen in the result's type first.
inline double number_as(const Tensor& t, DType dtype) {
  const double v = t.number(0);
  return is_float(dtype) ? v : static_cast<double>(convert<int64_t>(v));
}

}  // namespace coracle::internal
