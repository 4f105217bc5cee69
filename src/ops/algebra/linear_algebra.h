// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/buffer.h"
#include "graph/op.h"

/// Dense linear algebra in double on matrices in row-major order, for the operators' references.
namespace coracle::internal {

using Matrix = Buffer<double>;

/// A matrix as the product of a permutation, a unit lower and an upper triangle, with row exchanges (partial pivoting).
struct LuFactors {
  Matrix lu;                  ///< both triangles, n by n
  std::vector<int64_t> rows;  ///< row i of the product is row rows[i] of the matrix
  double sign = 1;            ///< of the permutation
};
LuFactors lu_factors(const RunContext& context, Matrix m, int64_t n);
/// The same in place, for n rows in `rows`; gives the sign.
double factor_lu(const RunContext& context, double* m, int64_t n, int64_t* rows);

/// x with m x = b for `columns` right sides (b and x are n by columns). A singular matrix gives what is not finite.
Matrix lu_solve(const RunContext& context, const LuFactors& f, const Matrix& b, int64_t n, int64_t columns);

/// The inverse of a matrix by its factors, as factor_lu leaves them: column i of it is written as column i of
/// `inverse`, but belongs to rows[i].
void invert_lu(const RunContext& context, const double* lu, int64_t n, double* inverse);

/// The lower triangle l with l l^T = m. Throws Error (kRunFailure) where m is not positive definite.
Matrix cholesky_factor(const RunContext& context, const Matrix& m, int64_t n);

/// x with t x = b for a triangle t (`upper` or lower; its diagonal counts as ones if `unit`), or with t^T x = b.
Matrix triangular_solution(const RunContext& context, const Matrix& t, Matrix b, int64_t n, int64_t columns, bool upper,
                           bool transposed, bool unit);

/// a @ b for n by n matrices.
Matrix multiply_square(const RunContext& context, const Matrix& a, const Matrix& b, int64_t n);

/// Checks that the last two dimensions of x are a square matrix, where they are known.
void require_square(const Shape& x, const char* name);

/// The i-th matrix (of `size` elements) of a real tensor.
Matrix read_matrix(const RunContext& context, const Tensor& t, int64_t i, int64_t size);
void write_matrix(Tensor& t, int64_t i, std::span<const double> m);

/// Shape of the solution of systems with matrices `m` [..., n, n] and right sides `b` [..., n, k]; leading dimensions
/// broadcast.
Shape solution_shape(const Shape& m, const Shape& b);

/// f(index of the result's matrix, of m's, of b's) for each system; the result has shape [..., n, k].
template <class F>
void each_system(const Shape& result, const Shape& m, const Shape& b, const F& f) {
  const int batch = result.rank() - 2;
  const auto place = [&](const Shape& s, int64_t i) {
    int64_t at = 0;
    int64_t step = 1;
    for (int d = batch - 1; d >= 0; --d) {
      const int own = d - (batch - (s.rank() - 2));
      if (own >= 0) {
        at += (s[own] == 1 ? 0 : i % result[d]) * step;
        step *= s[own];
      }
      i /= result[d];
    }
    return at;
  };
  for (int64_t i = 0, n = result.count(0, batch); i < n; ++i) f(i, place(m, i), place(b, i));
}

}  // namespace coracle::internal
