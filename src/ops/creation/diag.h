// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/creation/diagonals.h"
#include "ops/creation/filling.h"

namespace coracle::internal {

/// A square matrix with vector x on the diagonal `offset` and padding_value elsewhere, or that diagonal of matrix x.
struct Diag {
  static constexpr const char* kName = "diag";
  static constexpr const char* kLegacy[] = {"diag_v2"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  int64_t offset = 0;
  double padding_value = 0.0;
  void attributes(AttributeVisitor& visit) {
    visit("offset", offset);
    visit("padding_value", padding_value);
  }
  friend bool operator==(const Diag&, const Diag&) = default;
};

inline void infer(const Diag& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  if (!x.rank_known()) return a.set(0, a.dtype(0), x);
  require(op.offset > INT64_MIN, "offset is ", op.offset);
  require(x.rank() <= 2, "x has shape ", x, ", expected at most 2 dimensions");
  if (x.rank() == 2) return a.set(0, a.dtype(0), diagonal_shape(x, 0, 1, op.offset));
  const int64_t n = x.is_scalar() ? 1 : x[0];
  const int64_t side = n < 0 ? Shape::kUnknown : checked_add(n, std::abs(op.offset));
  a.set(0, a.dtype(0), Shape{side, side});
}

inline void reference(const Diag& op, ReferenceArgs& a) {
  const Shape& x = a.shape(0);
  Tensor& y = a.out(0);
  visit_number(y.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const int64_t columns = x.rank() == 2 ? x[1] : y.shape()[1];
    if (y.count() == 0) return;
    const int64_t start = op.offset < 0 ? -op.offset * columns : op.offset;
    const T* from = a.in(0).data<T>();
    if (x.rank() == 2) {
      for (int64_t i = 0, n = y.count(); i < n; ++i) y.data<T>()[i] = from[start + i * (columns + 1)];
    } else {
      fill(a.context(), y, op.padding_value, whole(op.padding_value));
      for (int64_t i = 0, n = x.count(); i < n; ++i) y.data<T>()[start + i * (columns + 1)] = from[i];
    }
  });
}

inline constexpr const OpSchema* diag_op = &kOpSchema<Diag>;

}  // namespace coracle::internal
