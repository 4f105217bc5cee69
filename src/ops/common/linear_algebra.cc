// SPDX-License-Identifier: Apache-2.0
#include "ops/common/linear_algebra.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace coracle {
namespace {

size_t at(int64_t row, int64_t column, int64_t columns) { return static_cast<size_t>(row * columns + column); }

}  // namespace

LuFactors lu_factors(Matrix m, int64_t n) {
  LuFactors f;
  f.rows.resize(static_cast<size_t>(n));
  std::iota(f.rows.begin(), f.rows.end(), int64_t{0});
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::fabs(m[at(i, k, n)]) > std::fabs(m[at(pivot, k, n)])) pivot = i;
    }
    if (pivot != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(m[at(k, j, n)], m[at(pivot, j, n)]);
      std::swap(f.rows[static_cast<size_t>(k)], f.rows[static_cast<size_t>(pivot)]);
      f.sign = -f.sign;
    }
    if (m[at(k, k, n)] == 0) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = m[at(i, k, n)] / m[at(k, k, n)];
      m[at(i, k, n)] = factor;
      for (int64_t j = k + 1; j < n; ++j) m[at(i, j, n)] -= factor * m[at(k, j, n)];
    }
  }
  f.lu = std::move(m);
  return f;
}

Matrix lu_solve(const LuFactors& f, const Matrix& b, int64_t n, int64_t columns) {
  Matrix x(static_cast<size_t>(n * columns));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < columns; ++c) x[at(i, c, columns)] = b[at(f.rows[static_cast<size_t>(i)], c, columns)];
  }
  x = triangular_solution(f.lu, std::move(x), n, columns, false, false, true);
  return triangular_solution(f.lu, std::move(x), n, columns, true, false, false);
}

Matrix cholesky_factor(const Matrix& m, int64_t n) {
  Matrix l(static_cast<size_t>(n * n), 0.0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
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

Matrix triangular_solution(const Matrix& t, Matrix b, int64_t n, int64_t columns, bool upper, bool transposed,
                           bool unit) {
  const bool from_end = upper != transposed;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = from_end ? n - 1 - step : step;
    for (int64_t c = 0; c < columns; ++c) {
      double sum = b[at(i, c, columns)];
      for (int64_t done = 0; done < step; ++done) {
        const int64_t k = from_end ? n - 1 - done : done;
        sum -= t[transposed ? at(k, i, n) : at(i, k, n)] * b[at(k, c, columns)];
      }
      b[at(i, c, columns)] = unit ? sum : sum / t[at(i, i, n)];
    }
  }
  return b;
}

Matrix multiply_square(const Matrix& a, const Matrix& b, int64_t n) {
  Matrix y(static_cast<size_t>(n * n), 0.0);
  for (int64_t i = 0; i < n; ++i) {
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

Matrix read_matrix(const Tensor& t, int64_t i, int64_t size) {
  Matrix m(static_cast<size_t>(size));
  visit_float(t.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t k = 0; k < size; ++k) m[static_cast<size_t>(k)] = static_cast<double>(t.data<T>()[i * size + k]);
  });
  return m;
}

void write_matrix(Tensor& t, int64_t i, const Matrix& m) {
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

}  // namespace coracle
