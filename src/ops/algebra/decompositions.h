// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>

#include "base/buffer.h"
#include "ops/algebra/linear_algebra.h"

/// Decompositions of dense matrices in double, in row-major order, for the operators' references.
namespace coracle::internal {

/// q [m, k] with orthonormal columns and an upper triangle r [k, n] with q r = a; k is m if `complete`, else the
/// smaller of m and n. By reflections, as LAPACK does it: the diagonal of r has the sign opposite to the column's.
struct QrFactors {
  Matrix q;
  Matrix r;
};
QrFactors qr_factors(const RunContext& context, Matrix a, int64_t m, int64_t n, bool complete);

/// Eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns.
struct SymmetricEigen {
  Buffer<double> values;
  Matrix vectors;
};
SymmetricEigen symmetric_eigen(const RunContext& context, Matrix a, int64_t n);

/// u [m, k] diag(s) vh [k, n] = a with s descending; k is the smaller of m and n.
struct SingularValues {
  Matrix u;
  Buffer<double> s;
  Matrix vh;
};
SingularValues singular_values(const RunContext& context, const Matrix& a, int64_t m, int64_t n);

/// Columns that make q [m, k], whose columns are orthonormal, a square one.
Matrix completed_basis(const RunContext& context, const Matrix& q, int64_t m, int64_t k);

/// Eigenvalues of any square matrix and eigenvectors of length 1 as columns.
struct GeneralEigen {
  std::vector<std::complex<double>> values;
  std::vector<std::complex<double>> vectors;
};
GeneralEigen general_eigen(const RunContext& context, const Matrix& a, int64_t n);

/// The matrix of the other order.
Matrix transposed_matrix(const RunContext& context, const Matrix& a, int64_t m, int64_t n);

}  // namespace coracle::internal
