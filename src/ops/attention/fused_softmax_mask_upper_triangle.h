// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "graph/op.h"

namespace coracle::internal {

/// softmax over the last dimension of x [..., S, S], where row i has only its first i + 1 elements; the others are 0.
struct FusedSoftmaxMaskUpperTriangle {
  static constexpr const char* kName = "fused_softmax_mask_upper_triangle";
  static constexpr const char* kLegacy[] = {"fused_softmax_mask_upper_triangle"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const FusedSoftmaxMaskUpperTriangle&, const FusedSoftmaxMaskUpperTriangle&) = default;
};

inline void infer(const FusedSoftmaxMaskUpperTriangle&, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  if (x.rank_known()) {
    require(x.rank() >= 2, "x is ", x, ", expected at least 2 dimensions");
    const int64_t rows = x[x.rank() - 2];
    require(rows < 0 || x.back() < 0 || rows == x.back(), "x is ", x, ", expected a square at the end");
  }
  a.set(0, a.dtype(0), x);
}

inline void reference(const FusedSoftmaxMaskUpperTriangle&, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t n = s.back();
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* x = a.in(0).data<T>();
    T* y = a.out(0).data<T>();
    for (int64_t r = 0; r < s.count(0, s.rank() - 1); ++r, x += n, y += n) {
      const int64_t seen = r % n + 1;
      double largest = static_cast<double>(x[0]);
      for (int64_t j = 1; j < seen; ++j) largest = std::max(largest, static_cast<double>(x[j]));
      double total = 0;
      for (int64_t j = 0; j < seen; ++j) total += std::exp(static_cast<double>(x[j]) - largest);
      for (int64_t j = 0; j < n; ++j) {
        y[j] = static_cast<T>(j < seen ? std::exp(static_cast<double>(x[j]) - largest) / total : 0.0);
      }
    }
  });
}

inline constexpr const OpSchema* fused_softmax_mask_upper_triangle_op = &kOpSchema<FusedSoftmaxMaskUpperTriangle>;

}  // namespace coracle::internal
