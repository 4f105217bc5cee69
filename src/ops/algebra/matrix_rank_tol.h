// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ops/algebra/matrix_rank.h"

namespace coracle::internal {

/// The number of singular values above a bound for each matrix.
struct MatrixRankTol {
  static constexpr const char* kName = "matrix_rank_tol";
  static constexpr Port kInputs[] = {in("x", "x"), in("atol_tensor", "atol_tensor")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  bool use_default_tol = true;
  bool hermitian = false;
  void attributes(AttributeVisitor& visit) {
    visit("use_default_tol", use_default_tol);
    visit("hermitian", hermitian);
  }
  friend bool operator==(const MatrixRankTol&, const MatrixRankTol&) = default;
};

inline void infer(const MatrixRankTol&, InferArgs& a) { infer_matrix_rank(a); }

inline void reference(const MatrixRankTol& op, ReferenceArgs& a) {
  const double relative = op.use_default_tol ? default_rank_tolerance(a.shape(0), a.in(0).dtype()) : 0.0;
  reference_matrix_rank(a, op.hermitian, [&](int64_t i) {
    const int64_t count = a.in(1).count();
    return std::pair(count > 0 ? a.in(1).number(i % count) : 0.0, relative);
  });
}

inline constexpr const OpSchema* matrix_rank_tol_op = &kOpSchema<MatrixRankTol>;

}  // namespace coracle::internal
