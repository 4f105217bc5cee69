// SPDX-License-Identifier: Apache-2.0
#include "ops/algebra/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/long_loop.h"

namespace coracle::internal {
namespace {

size_t at(int64_t row, int64_t column, int64_t columns) { return static_cast<size_t>(row * columns + column); }

/// to[j] -= factor * from[j]
void subtract_row(const double* __restrict from, double factor, double* __restrict to, int64_t count) {
  for (int64_t j = 0; j < count; ++j) to[j] -= factor * from[j];
}

/// Right sides that are computed together.
constexpr int64_t kTogether = 8;

/// Subtracts from `kColumns` columns, from c on, of row i of b the products of t(i, k) with those of rows k = first,
/// first + step, ..., up to row i.
template <int64_t kColumns, class Triangle>
void eliminate(const Triangle& t, double* b, int64_t columns, int64_t c, int64_t i, int64_t first, int64_t step) {
  double sum[kColumns];
  std::copy_n(b + i * columns + c, kColumns, sum);
  for (int64_t k = first; k != i; k += step) {
    const double factor = t(i, k);
    const double* from = b + k * columns + c;
    for (int64_t j = 0; j < kColumns; ++j) sum[j] -= factor * from[j];
  }
  std::copy_n(sum, kColumns, b + i * columns + c);
}

/// Solves in place, row by row, for `columns` right sides in b; t(i, k) is the triangle's element.
template <class Triangle>
void solve_rows(const RunContext& context, const Triangle& t, double* b, int64_t n, int64_t columns, bool from_end,
                bool unit) {
  const int64_t first = from_end ? n - 1 : 0;
  const int64_t step = from_end ? -1 : 1;
  for (int64_t done = 0; done < n && !context.over(); ++done) {
    const int64_t i = first + done * step;
    int64_t c = 0;
    for (; c + kTogether <= columns; c += kTogether) eliminate<kTogether>(t, b, columns, c, i, first, step);
    for (; c < columns; ++c) eliminate<1>(t, b, columns, c, i, first, step);
    for (c = 0; c < columns && !unit; ++c) b[i * columns + c] /= t(i, i);
  }
}

auto elements_of(const double* matrix, int64_t n) {
  return [matrix, n](int64_t i, int64_t k) { return matrix[i * n + k]; };
}

}  // namespace

double factor_lu(const RunContext& context, double* m, int64_t n, int64_t* rows) {
  std::iota(rows, rows + n, int64_t{0});
  double sign = 1;
  for (int64_t k = 0; k < n && !context.over(); ++k) {
    double* const pivot_row = m + k * n;
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(m[i * n + k]) > std::fabs(m[pivot * n + k])) pivot = i;
    }
    if (pivot != k) {
      std::swap_ranges(pivot_row, pivot_row + n, m + pivot * n);
      std::swap(rows[k], rows[pivot]);
      sign = -sign;
    }
    if (pivot_row[k] == 0) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      double* const row = m + i * n;
      row[k] /= pivot_row[k];
      subtract_row(pivot_row + k + 1, row[k], row + k + 1, n - k - 1);
    }
  }
  return sign;
}

void invert_lu(const RunContext& context, const double* lu, int64_t n, double* inverse) {
  std::fill_n(inverse, n * n, 0.0);
  const auto element = elements_of(lu, n);
  for (int64_t i = 0; i < n && !context.over(); ++i) {
    inverse[i * n + i] = 1;
    // The inverse of the unit lower triangle: row k has k + 1 elements.
    int64_t c = 0;
    for (; c + kTogether <= n && c <= i; c += kTogether) {
      if (c < i) eliminate<kTogether>(element, inverse, n, c, i, c, 1);
    }
    for (; c < i; ++c) eliminate<1>(element, inverse, n, c, i, c, 1);
  }
  solve_rows(context, element, inverse, n, n, true, false);
}

LuFactors lu_factors(const RunContext& context, Matrix m, int64_t n) {
  std::vector<int64_t> rows(static_cast<size_t>(n));
  const double sign = factor_lu(context, m.data(), n, rows.data());
  return {std::move(m), std::move(rows), sign};
}

Matrix lu_solve(const RunContext& context, const LuFactors& f, const Matrix& b, int64_t n, int64_t columns) {
  Matrix x(static_cast<size_t>(n * columns), context);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < columns; ++c) x[at(i, c, columns)] = b[at(f.rows[static_cast<size_t>(i)], c, columns)];
  }
  const auto element = elements_of(f.lu.data(), n);
  solve_rows(context, element, x.data(), n, columns, false, true);
  solve_rows(context, element, x.data(), n, columns, true, false);
  return x;
}

Matrix cholesky_factor(const RunContext& context, const Matrix& m, int64_t n) {
  Matrix l(static_cast<size_t>(n * n), 0.0, context);
  LoopCheck check(context);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      check.step(j);
      double sum = m[at(i, j, n)];
      for (int64_t k = 0; k < j; ++k) sum -= l[at(i, k, n)] * l[at(j, k, n)];
      if (i == j) {
        require(sum > 0, ErrorCode::kRunFailure, "the matrix is not positive definite");
        l[at(i, i, n)] = std::sqrt(sum);
      } else {
        l[at(i, j, n)] = sum / l[at(j, j, n)];
      }
    }
  }
  return l;
}

Matrix triangular_solution(const RunContext& context, const Matrix& t, Matrix b, int64_t n, int64_t columns, bool upper,
                           bool transposed, bool unit) {
  const auto element = [&](int64_t i, int64_t k) { return t[transposed ? at(k, i, n) : at(i, k, n)]; };
  solve_rows(context, element, b.data(), n, columns, upper != transposed, unit);
  return b;
}

Matrix multiply_square(const RunContext& context, const Matrix& a, const Matrix& b, int64_t n) {
  Matrix y(static_cast<size_t>(n * n), 0.0, context);
  for (int64_t i = 0; i < n; ++i) {
    context.check();
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t j = 0; j < n; ++j) y[at(i, j, n)] += a[at(i, k, n)] * b[at(k, j, n)];
    }
  }
  return y;
}

void require_square(const Shape& x, const char* name) {
  if (!x.rank_known()) return;
  require(x.rank() >= 2, name, " has shape ", x, ", expected at least 2 dimensions");
  const int64_t rows = x[x.rank() - 2];
  require(rows < 0 || x.back() < 0 || rows == x.back(), name, " has shape ", x, ", expected square matrices");
}

Matrix read_matrix(const RunContext& context, const Tensor& t, int64_t i, int64_t size) {
  Matrix m(static_cast<size_t>(size), context);
  visit_float(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t k = 0; k < size; ++k) m[static_cast<size_t>(k)] = static_cast<double>(t.data<T>()[i * size + k]);
  });
  return m;
}

void write_matrix(Tensor& t, int64_t i, std::span<const double> m) {
  visit_float(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* to = t.data<T>() + i * static_cast<int64_t>(m.size());
    for (size_t k = 0; k < m.size(); ++k) to[k] = static_cast<T>(m[k]);
  });
}

Shape solution_shape(const Shape& m, const Shape& b) {
  require_square(m, "the matrix");
  if (!m.rank_known() || !b.rank_known()) return Shape::unknown_rank();
  require(b.rank() >= 2, "the right side has shape ", b, ", expected at least 2 dimensions");
  const int64_t rows = b[b.rank() - 2];
  require(rows < 0 || m.back() < 0 || rows == m.back(), "the right side ", b, " does not fit the matrix ", m);
  Shape y = broadcast(Shape(std::span(m.begin(), static_cast<size_t>(m.rank() - 2))),
                      Shape(std::span(b.begin(), static_cast<size_t>(b.rank() - 2))));
  y.push_back(rows < 0 ? m.back() : rows);
  y.push_back(b.back());
  return y;
}

}  // namespace coracle::internal
