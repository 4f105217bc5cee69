// SPDX-License-Identifier: Apache-2.0
#include "ops/algebra/decompositions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/buffer.h"
#include "base/long_loop.h"

namespace coracle::internal {
namespace {

using DoubleComplex = std::complex<double>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMostSweeps = 60;

size_t place(int64_t row, int64_t column, int64_t columns) { return static_cast<size_t>(row * columns + column); }

/// Plane rotation of columns p and q: (p, q) becomes (c p - s q, s p + c q).
template <class T>
void rotate_columns(Buffer<T>& a, int64_t rows, int64_t columns, int64_t p, int64_t q, double c, double s) {
  for (int64_t i = 0; i < rows; ++i) {
    const T x = a[place(i, p, columns)];
    const T y = a[place(i, q, columns)];
    a[place(i, p, columns)] = c * x - s * y;
    a[place(i, q, columns)] = s * x + c * y;
  }
}

/// Cosine and sine that make an off-diagonal element zero, from the difference of the diagonal over twice that element.
std::pair<double, double> jacobi_rotation(double theta) {
  const double t = (theta < 0 ? -1.0 : 1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1);
  return {c, t * c};
}

Matrix unit_matrix(const RunContext& context, int64_t n) {
  Matrix m(static_cast<size_t>(n * n), 0.0, context);
  for (int64_t i = 0; i < n; ++i) m[place(i, i, n)] = 1;
  return m;
}

/// Takes from column j of q what lies along the columns before it and makes it of length 1; false if nothing is left.
bool orthonormalize(Matrix& q, int64_t m, int64_t columns, int64_t j, LoopCheck& check) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int64_t k = 0; k < j; ++k) {
      check.step(2 * m);
      double dot = 0;
      for (int64_t i = 0; i < m; ++i) dot += q[place(i, k, columns)] * q[place(i, j, columns)];
      for (int64_t i = 0; i < m; ++i) q[place(i, j, columns)] -= dot * q[place(i, k, columns)];
    }
  }
  double length = 0;
  for (int64_t i = 0; i < m; ++i) length += q[place(i, j, columns)] * q[place(i, j, columns)];
  length = std::sqrt(length);
  if (!(length > 1e-3)) return false;
  for (int64_t i = 0; i < m; ++i) q[place(i, j, columns)] /= length;
  return true;
}

/// Column j of q becomes any unit vector that is orthogonal to the columns before it.
void fill_column(Matrix& q, int64_t m, int64_t columns, int64_t j, LoopCheck& check) {
  for (int64_t axis = 0; axis < m; ++axis) {
    check.step(m);
    for (int64_t i = 0; i < m; ++i) q[place(i, j, columns)] = i == axis ? 1.0 : 0.0;
    if (orthonormalize(q, m, columns, j, check)) return;
  }
}

}  // namespace

Matrix transposed_matrix(const RunContext& context, const Matrix& a, int64_t m, int64_t n) {
  Matrix t(a.size(), context);
  LoopCheck check(context);
  for (int64_t i = 0; i < m; ++i) {
    check.step(n);
    for (int64_t j = 0; j < n; ++j) t[place(j, i, m)] = a[place(i, j, n)];
  }
  return t;
}

QrFactors qr_factors(const RunContext& context, Matrix a, int64_t m, int64_t n, bool complete) {
  const int64_t steps = std::min(m, n);
  const int64_t k = complete ? m : steps;
  Matrix q(static_cast<size_t>(m * k), 0.0, context);
  for (int64_t i = 0; i < k; ++i) q[place(i, i, k)] = 1;
  std::vector<Buffer<double>> reflections;
  LoopCheck check(context);
  const auto reflect = [&](const Buffer<double>& v, int64_t first, Matrix& x, int64_t columns, int64_t from) {
    for (int64_t j = from; j < columns; ++j) {
      check.step(2 * (m - first));
      double dot = 0;
      for (int64_t i = first; i < m; ++i) dot += v[static_cast<size_t>(i)] * x[place(i, j, columns)];
      for (int64_t i = first; i < m; ++i) x[place(i, j, columns)] -= 2 * dot * v[static_cast<size_t>(i)];
    }
  };
  for (int64_t s = 0; s < steps; ++s) {
    Buffer<double> v(static_cast<size_t>(m), 0.0, context);
    double below = 0;
    for (int64_t i = s; i < m; ++i) {
      v[static_cast<size_t>(i)] = a[place(i, s, n)];
      if (i > s) below += a[place(i, s, n)] * a[place(i, s, n)];
    }
    if (below == 0) {  // nothing to reflect: the column is a triangle's already
      reflections.emplace_back(context);
      continue;
    }
    double& head = v[static_cast<size_t>(s)];
    const double length = std::sqrt(below + head * head);
    head += head < 0 ? -length : length;
    const double scale = 1 / std::sqrt(below + head * head);
    for (double& x : v) x *= scale;
    reflect(v, s, a, n, s);
    reflections.push_back(std::move(v));
  }
  for (int64_t s = steps - 1; s >= 0; --s) {
    const Buffer<double>& v = reflections[static_cast<size_t>(s)];
    if (!v.empty()) reflect(v, s, q, k, 0);
  }
  Matrix r(static_cast<size_t>(k * n), 0.0, context);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = i; j < n; ++j) r[place(i, j, n)] = a[place(i, j, n)];
  }
  return {std::move(q), std::move(r)};
}

SymmetricEigen symmetric_eigen(const RunContext& context, Matrix a, int64_t n) {
  Matrix v = unit_matrix(context, n);
  LoopCheck check(context);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0;
    double all = 0;
    for (int64_t i = 0; i < n; ++i) {
      check.step(n);
      for (int64_t j = 0; j < n; ++j) {
        all += a[place(i, j, n)] * a[place(i, j, n)];
        if (i != j) off += a[place(i, j, n)] * a[place(i, j, n)];
      }
    }
    if (!(off > kEpsilon * kEpsilon * all)) break;
    for (int64_t p = 0; p + 1 < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        check.step(4 * n);
        const double element = a[place(p, q, n)];
        if (element == 0) continue;
        const auto [c, s] = jacobi_rotation((a[place(q, q, n)] - a[place(p, p, n)]) / (2 * element));
        rotate_columns(a, n, n, p, q, c, s);
        for (int64_t j = 0; j < n; ++j) {
          const double x = a[place(p, j, n)];
          const double y = a[place(q, j, n)];
          a[place(p, j, n)] = c * x - s * y;
          a[place(q, j, n)] = s * x + c * y;
        }
        rotate_columns(v, n, n, p, q, c, s);
      }
    }
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return a[place(i, i, n)] < a[place(j, j, n)]; });
  SymmetricEigen result{.values = Buffer<double>(context), .vectors = Matrix(a.size(), context)};
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    result.values.push_back(a[place(from, from, n)]);
    for (int64_t i = 0; i < n; ++i) result.vectors[place(i, j, n)] = v[place(i, from, n)];
  }
  return result;
}

SingularValues singular_values(const RunContext& context, const Matrix& a, int64_t m, int64_t n) {
  if (m < n) {
    SingularValues t = singular_values(context, transposed_matrix(context, a, m, n), n, m);
    return {transposed_matrix(context, t.vh, m, m), std::move(t.s), transposed_matrix(context, t.u, n, m)};
  }
  Matrix w = a;
  Matrix v = unit_matrix(context, n);
  LoopCheck check(context);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool settled = true;
    for (int64_t p = 0; p + 1 < n; ++p) {
      for (int64_t q = p + 1; q < n; ++q) {
        check.step(3 * m + n);
        double pp = 0;
        double qq = 0;
        double pq = 0;
        for (int64_t i = 0; i < m; ++i) {
          pp += w[place(i, p, n)] * w[place(i, p, n)];
          qq += w[place(i, q, n)] * w[place(i, q, n)];
          pq += w[place(i, p, n)] * w[place(i, q, n)];
        }
        if (!(std::fabs(pq) > kEpsilon * std::sqrt(pp * qq))) continue;
        settled = false;
        const auto [c, s] = jacobi_rotation((qq - pp) / (2 * pq));
        rotate_columns(w, m, n, p, q, c, s);
        rotate_columns(v, n, n, p, q, c, s);
      }
    }
    if (settled) break;
  }
  Buffer<double> lengths(static_cast<size_t>(n), 0.0, context);
  for (int64_t j = 0; j < n; ++j) {
    check.step(m);
    double& length = lengths[static_cast<size_t>(j)];
    for (int64_t i = 0; i < m; ++i) length += w[place(i, j, n)] * w[place(i, j, n)];
    length = std::sqrt(length);
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    return lengths[static_cast<size_t>(i)] > lengths[static_cast<size_t>(j)];
  });
  SingularValues result{Matrix(static_cast<size_t>(m * n), context), Matrix(context),
                        Matrix(static_cast<size_t>(n * n), context)};
  for (int64_t j = 0; j < n; ++j) {
    const int64_t from = order[static_cast<size_t>(j)];
    const double length = lengths[static_cast<size_t>(from)];
    result.s.push_back(length);
    for (int64_t i = 0; i < n; ++i) result.vh[place(j, i, n)] = v[place(i, from, n)];
    if (length > result.s.front() * kEpsilon * static_cast<double>(m)) {
      for (int64_t i = 0; i < m; ++i) result.u[place(i, j, n)] = w[place(i, from, n)] / length;
    } else {
      fill_column(result.u, m, n, j, check);
    }
  }
  return result;
}

Matrix completed_basis(const RunContext& context, const Matrix& q, int64_t m, int64_t k) {
  Matrix all(static_cast<size_t>(m * m), 0.0, context);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < k; ++j) all[place(i, j, m)] = q[place(i, j, k)];
  }
  LoopCheck check(context);
  for (int64_t j = k; j < m; ++j) fill_column(all, m, m, j, check);
  return all;
}

namespace {

/// Brings h to an upper triangle by shifted QR steps, q h q^H staying the matrix; h is [n, n].
void triangularize(const RunContext& context, Buffer<DoubleComplex>& h, Buffer<DoubleComplex>& q, int64_t n) {
  int64_t last = n - 1;
  int steps = 0;
  LoopCheck check(context);
  while (last > 0 && steps < kMostSweeps * n) {
    int64_t first = last;
    while (first > 0) {
      const double around = std::abs(h[place(first, first, n)]) + std::abs(h[place(first - 1, first - 1, n)]);
      if (std::abs(h[place(first, first - 1, n)]) <= kEpsilon * around) break;
      --first;
    }
    if (first < last) {
      // The eigenvalue of the last 2 by 2 block that is nearer to its corner.
      const DoubleComplex a = h[place(last - 1, last - 1, n)];
      const DoubleComplex b = h[place(last - 1, last, n)];
      const DoubleComplex c = h[place(last, last - 1, n)];
      const DoubleComplex d = h[place(last, last, n)];
      const DoubleComplex half = (a - d) * 0.5;
      const DoubleComplex root = std::sqrt(half * half + b * c);
      const DoubleComplex one = d + half + root;
      const DoubleComplex other = d + half - root;
      DoubleComplex shift = std::abs(one - d) < std::abs(other - d) ? one : other;
      if (++steps % 11 == 10) shift += std::abs(c);  // out of a cycle
      for (int64_t i = first; i <= last; ++i) h[place(i, i, n)] -= shift;
      std::vector<std::pair<DoubleComplex, DoubleComplex>> rotations;
      for (int64_t k = first; k < last; ++k) {
        check.step(8 * n);
        const DoubleComplex x = h[place(k, k, n)];
        const DoubleComplex y = h[place(k + 1, k, n)];
        const double length = std::sqrt(std::norm(x) + std::norm(y));
        const DoubleComplex cosine = length == 0 ? DoubleComplex(1) : x / length;
        const DoubleComplex sine = length == 0 ? DoubleComplex(0) : y / length;
        rotations.emplace_back(cosine, sine);
        for (int64_t j = k; j < n; ++j) {
          const DoubleComplex u = h[place(k, j, n)];
          const DoubleComplex v = h[place(k + 1, j, n)];
          h[place(k, j, n)] = std::conj(cosine) * u + std::conj(sine) * v;
          h[place(k + 1, j, n)] = -sine * u + cosine * v;
        }
      }
      for (int64_t k = first; k < last; ++k) {
        check.step(8 * n);
        const auto& rotation = rotations[static_cast<size_t>(k - first)];
        const DoubleComplex cosine = rotation.first;
        const DoubleComplex sine = rotation.second;
        const auto turn = [&](Buffer<DoubleComplex>& m, int64_t rows) {
          for (int64_t i = 0; i < rows; ++i) {
            const DoubleComplex u = m[place(i, k, n)];
            const DoubleComplex v = m[place(i, k + 1, n)];
            m[place(i, k, n)] = u * cosine + v * sine;
            m[place(i, k + 1, n)] = -u * std::conj(sine) + v * std::conj(cosine);
          }
        };
        turn(h, std::min(k + 2, last + 1));
        turn(q, n);
      }
      for (int64_t i = first; i <= last; ++i) h[place(i, i, n)] += shift;
    } else {
      --last;
    }
  }
}

}  // namespace

GeneralEigen general_eigen(const RunContext& context, const Matrix& a, int64_t n) {
  Buffer<DoubleComplex> h(a.begin(), a.end(), context);
  const Matrix unit = unit_matrix(context, n);
  Buffer<DoubleComplex> q(unit.begin(), unit.end(), context);
  LoopCheck check(context);
  // To zeros below the first subdiagonal, by rotations.
  for (int64_t column = 0; column + 2 < n; ++column) {
    for (int64_t row = n - 1; row > column + 1; --row) {
      check.step(8 * n);
      const double x = h[place(row - 1, column, n)].real();
      const double y = h[place(row, column, n)].real();
      const double length = std::hypot(x, y);
      if (y == 0 || length == 0) continue;
      const double c = x / length;
      const double s = y / length;
      for (int64_t j = 0; j < n; ++j) {
        const DoubleComplex u = h[place(row - 1, j, n)];
        const DoubleComplex v = h[place(row, j, n)];
        h[place(row - 1, j, n)] = c * u + s * v;
        h[place(row, j, n)] = -s * u + c * v;
      }
      rotate_columns(h, n, n, row - 1, row, c, -s);
      rotate_columns(q, n, n, row - 1, row, c, -s);
    }
  }
  triangularize(context, h, q, n);
  double scale = 0;
  for (const DoubleComplex& x : h) scale = std::max(scale, std::abs(x));
  GeneralEigen result;
  result.vectors.resize(h.size());
  for (int64_t k = 0; k < n; ++k) {
    result.values.push_back(h[place(k, k, n)]);
    Buffer<DoubleComplex> x(static_cast<size_t>(n), context);
    x[static_cast<size_t>(k)] = 1;
    for (int64_t i = k - 1; i >= 0; --i) {
      check.step(k - i);
      DoubleComplex sum = 0;
      for (int64_t j = i + 1; j <= k; ++j) sum += h[place(i, j, n)] * x[static_cast<size_t>(j)];
      DoubleComplex gap = h[place(k, k, n)] - h[place(i, i, n)];
      if (std::abs(gap) < kEpsilon * scale) gap = kEpsilon * scale;
      x[static_cast<size_t>(i)] = gap == DoubleComplex(0) ? DoubleComplex(0) : sum / gap;
    }
    double length = 0;
    Buffer<DoubleComplex> vector(static_cast<size_t>(n), context);
    for (int64_t i = 0; i < n; ++i) {
      check.step(k);
      for (int64_t j = 0; j <= k; ++j) vector[static_cast<size_t>(i)] += q[place(i, j, n)] * x[static_cast<size_t>(j)];
      length += std::norm(vector[static_cast<size_t>(i)]);
    }
    for (int64_t i = 0; i < n; ++i) result.vectors[place(i, k, n)] = vector[static_cast<size_t>(i)] / std::sqrt(length);
  }
  return result;
}

}  // namespace coracle::internal
