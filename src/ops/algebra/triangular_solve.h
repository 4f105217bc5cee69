// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/linear_algebra.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// The solutions of systems x @ out = y with triangles x.
struct TriangularSolve {
  static constexpr const char* kName = "triangular_solve";
  static constexpr const char* kLegacy[] = {"triangular_solve"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  bool upper = true;
  bool transpose = false;
  bool unitriangular = false;
  void attributes(AttributeVisitor& visit) {
    visit("upper", upper);
    visit("transpose", transpose);
    visit("unitriangular", unitriangular);
  }
  friend bool operator==(const TriangularSolve&, const TriangularSolve&) = default;
};

inline void infer(const TriangularSolve&, InferArgs& a) {
  a.set(0, a.dtype(0), solution_shape(a.shape(0), a.shape(1)));
  share_lod(a, 0, 1);
}

inline void reference(const TriangularSolve& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const int64_t n = y[y.rank() - 2];
  const int64_t k = y.back();
  each_system(y, a.shape(0), a.shape(1), [&](int64_t i, int64_t m, int64_t b) {
    write_matrix(a.out(0), i,
                 triangular_solution(a.context(), read_matrix(a.context(), a.in(0), m, n * n),
                                     read_matrix(a.context(), a.in(1), b, n * k), n, k, op.upper, op.transpose,
                                     op.unitriangular));
  });
}

inline constexpr const OpSchema* triangular_solve_op = &kOpSchema<TriangularSolve>;

}  // namespace coracle::internal
