// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/linear_algebra.h"

namespace coracle::internal {

/// The solutions of systems whose matrices have the Cholesky triangles y; x are the right sides.
struct CholeskySolve {
  static constexpr const char* kName = "cholesky_solve";
  static constexpr const char* kLegacy[] = {"cholesky_solve"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool upper = false;
  void attributes(AttributeVisitor& visit) { visit("upper", upper); }
  friend bool operator==(const CholeskySolve&, const CholeskySolve&) = default;
};

inline void infer(const CholeskySolve&, InferArgs& a) { a.set(0, a.dtype(0), solution_shape(a.shape(1), a.shape(0))); }

inline void reference(const CholeskySolve& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const int64_t n = y[y.rank() - 2];
  const int64_t k = y.back();
  each_system(y, a.shape(1), a.shape(0), [&](int64_t i, int64_t m, int64_t b) {
    const Matrix t = read_matrix(a.context(), a.in(1), m, n * n);
    Matrix x = triangular_solution(a.context(), t, read_matrix(a.context(), a.in(0), b, n * k), n, k, op.upper,
                                   op.upper, false);
    write_matrix(a.out(0), i, triangular_solution(a.context(), t, std::move(x), n, k, op.upper, !op.upper, false));
  });
}

inline constexpr const OpSchema* cholesky_solve_op = &kOpSchema<CholeskySolve>;

}  // namespace coracle::internal
