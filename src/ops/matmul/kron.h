// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/convert.h"
#include "ops/common/complex_numbers.h"

namespace coracle::internal {

/// The Kronecker product: y once for each element of x, multiplied by it.
struct Kron {
  static constexpr const char* kName = "kron";
  static constexpr const char* kLegacy[] = {"kron"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Kron&, const Kron&) = default;
};

inline void infer(const Kron&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  const DType dtype = promote(a.dtype(0), a.dtype(1));
  if (!x.rank_known() || !y.rank_known()) return a.set(0, dtype, Shape::unknown_rank());
  const int rank = std::max(x.rank(), y.rank());
  Shape shape = Shape::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    const int64_t dx = i < rank - x.rank() ? 1 : x[i - (rank - x.rank())];
    const int64_t dy = i < rank - y.rank() ? 1 : y[i - (rank - y.rank())];
    shape[i] = dx < 0 || dy < 0 ? Shape::kUnknown : checked_multiply(dx, dy);
  }
  a.set(0, dtype, shape);
}

inline void reference(const Kron&, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  const Tensor x = converted(a.context(), a.in(0), dtype);
  const Tensor y = converted(a.context(), a.in(1), dtype);
  const Shape& shape = a.out(0).shape();
  const auto size = [&](const Tensor& t, int d) {
    const int at = d - (shape.rank() - t.shape().rank());
    return at < 0 ? int64_t{1} : t.shape()[at];
  };
  visit_number(dtype, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t i = 0, n = shape.count(); i < n; ++i) {
      int64_t rest = i;
      int64_t ix = 0;
      int64_t iy = 0;
      int64_t step_x = 1;
      int64_t step_y = 1;
      for (int d = shape.rank() - 1; d >= 0; --d) {
        const int64_t at = rest % shape[d];
        rest /= shape[d];
        ix += at / size(y, d) * step_x;
        iy += at % size(y, d) * step_y;
        step_x *= size(x, d);
        step_y *= size(y, d);
      }
      a.out(0).data<T>()[i] =
          convert<T>(static_cast<Accumulator<T>>(x.data<T>()[ix]) * static_cast<Accumulator<T>>(y.data<T>()[iy]));
    }
  });
}

inline constexpr const OpSchema* kron_op = &kOpSchema<Kron>;

}  // namespace coracle::internal
