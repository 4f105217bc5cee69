// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/linear_algebra.h"

namespace coracle::internal {

/// The triangles l with l l^T = x (or u with u^T u = x if upper) of positive definite matrices.
struct Cholesky {
  static constexpr const char* kName = "cholesky";
  static constexpr const char* kLegacy[] = {"cholesky"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  bool upper = false;
  void attributes(AttributeVisitor& visit) { visit("upper", upper); }
  friend bool operator==(const Cholesky&, const Cholesky&) = default;
};

inline void infer(const Cholesky&, InferArgs& a) {
  require_square(a.shape(0), "x");
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const Cholesky& op, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  for (int64_t i = 0, count = a.shape(0).count(0, a.shape(0).rank() - 2); i < count; ++i) {
    Matrix l = cholesky_factor(a.context(), read_matrix(a.context(), a.in(0), i, n * n), n);
    if (op.upper) {
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < r; ++c) std::swap(l[static_cast<size_t>(r * n + c)], l[static_cast<size_t>(c * n + r)]);
      }
    }
    write_matrix(a.out(0), i, l);
  }
}

inline constexpr const OpSchema* cholesky_op = &kOpSchema<Cholesky>;

}  // namespace coracle::internal
