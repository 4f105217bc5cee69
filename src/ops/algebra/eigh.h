// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ops/algebra/decompositions.h"

namespace coracle::internal {

/// The whole of a symmetric matrix of which only the lower (or upper) triangle counts.
inline Matrix mirrored_triangle(Matrix m, int64_t n, bool upper) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const auto low = static_cast<size_t>(i * n + j);
      const auto high = static_cast<size_t>(j * n + i);
      if (upper) {
        m[low] = m[high];
      } else {
        m[high] = m[low];
      }
    }
  }
  return m;
}

/// Eigenvalues of symmetric matrices, ascending, and eigenvectors of length 1 as columns, whose signs are arbitrary.
/// Only the triangle that `uplo` names (`L` or `U`) counts.
struct Eigh {
  static constexpr const char* kName = "eigh";
  static constexpr const char* kLegacy[] = {"eigh"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out_w", "Eigenvalues"), out("out_v", "Eigenvectors")};
  std::string uplo = "L";
  void attributes(AttributeVisitor& visit) { visit("UPLO", uplo, "UPLO"); }
  friend bool operator==(const Eigh&, const Eigh&) = default;
};

inline void infer(const Eigh& op, InferArgs& a) {
  require(op.uplo == "L" || op.uplo == "U", "UPLO is '", op.uplo, "', expected 'L' or 'U'");
  require(is_float(a.dtype(0)), ErrorCode::kUnsupported, "x is ", a.dtype(0), ", only real types are supported");
  require_square(a.shape(0), "x");
  Shape values = a.shape(0);
  if (values.rank_known()) values.erase(values.rank() - 1);
  a.set(0, a.dtype(0), values);
  a.set(1, a.dtype(0), a.shape(0));
}

inline void reference(const Eigh& op, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  for (int64_t i = 0, count = a.shape(0).count(0, a.shape(0).rank() - 2); i < count; ++i) {
    const SymmetricEigen e = symmetric_eigen(
        a.context(), mirrored_triangle(read_matrix(a.context(), a.in(0), i, n * n), n, op.uplo == "U"), n);
    if (a.wants(0)) write_matrix(a.out(0), i, e.values);
    if (a.wants(1)) write_matrix(a.out(1), i, e.vectors);
  }
}

inline constexpr const OpSchema* eigh_op = &kOpSchema<Eigh>;

}  // namespace coracle::internal
