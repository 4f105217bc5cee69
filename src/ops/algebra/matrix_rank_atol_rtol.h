// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ops/algebra/matrix_rank.h"

namespace coracle::internal {

/// The number of singular values above an absolute and a relative bound for each matrix.
struct MatrixRankAtolRtol {
  static constexpr const char* kName = "matrix_rank_atol_rtol";
  static constexpr Port kInputs[] = {in("x", "x"), in("atol", "atol"), optional_in("rtol", "rtol")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  bool hermitian = false;
  void attributes(AttributeVisitor& visit) { visit("hermitian", hermitian); }
  friend bool operator==(const MatrixRankAtolRtol&, const MatrixRankAtolRtol&) = default;
};

inline void infer(const MatrixRankAtolRtol&, InferArgs& a) { infer_matrix_rank(a); }

inline void reference(const MatrixRankAtolRtol& op, ReferenceArgs& a) {
  reference_matrix_rank(a, op.hermitian, [&](int64_t i) {
    const int64_t absolute = a.in(1).count();
    const int64_t relative = a.has(2) ? a.in(2).count() : 0;
    return std::pair(absolute > 0 ? a.in(1).number(i % absolute) : 0.0,
                     relative > 0 ? a.in(2).number(i % relative) : 0.0);
  });
}

inline constexpr const OpSchema* matrix_rank_atol_rtol_op = &kOpSchema<MatrixRankAtolRtol>;

}  // namespace coracle::internal
