// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "base/buffer.h"
#include "ops/algebra/decompositions.h"

namespace coracle::internal {

/// The shortest solution of x solution = y in the sense of least squares, its squared residuals for each right side
/// (none where x has not full rank or no more rows than columns), the rank of x and its singular values. Values below
/// rcond times the largest count as zero.
struct Lstsq {
  static constexpr const char* kName = "lstsq";
  static constexpr const char* kLegacy[] = {"lstsq"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), value_in("rcond", "rcond")};
  static constexpr Port kOutputs[] = {out("solution", "Solution"), optional_out("residuals", "Residuals"),
                                      optional_out("rank", "Rank"), optional_out("singular_values", "SingularValues")};
  double rcond = 0;
  std::string driver = "gels";
  void attributes(AttributeVisitor& visit) {
    visit("rcond", rcond);
    visit("driver", driver);
  }
  friend bool operator==(const Lstsq&, const Lstsq&) = default;
};

inline void infer(const Lstsq&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  for (int port : {0, 3}) a.set(port, a.dtype(0), Shape::unknown_rank());
  a.set(1, a.dtype(0), Shape::unknown_rank());
  a.set(2, DType::kInt32, Shape::unknown_rank());
  if (!x.rank_known() || !y.rank_known()) return;
  require(x.rank() >= 2 && y.rank() == x.rank(), "x is ", x, " and y ", y, ", expected matrices of the same rank");
  const int d = x.rank() - 2;
  for (int i = 0; i <= d; ++i) {
    require(x[i] < 0 || y[i] < 0 || x[i] == y[i], "x ", x, " and y ", y, " differ in rows or in number");
  }
  Shape solution = y;
  solution[d] = x[d + 1];
  Shape batch(std::span(x.begin(), static_cast<size_t>(d)));
  Shape values = batch;
  values.insert(d, x[d] < 0 || x[d + 1] < 0 ? Shape::kUnknown : std::min(x[d], x[d + 1]));
  a.set(0, a.dtype(0), solution);
  a.set(2, DType::kInt32, batch);
  a.set(3, a.dtype(0), values);
}

inline void reference(const Lstsq& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int d = s.rank() - 2;
  const int64_t m = s[d];
  const int64_t n = s[d + 1];
  const int64_t columns = a.shape(1).back();
  const int64_t count = s.count(0, d);
  const int64_t k = std::min(m, n);
  Buffer<double> residuals(a.context());
  bool full = m > n;
  for (int64_t i = 0; i < count; ++i) {
    const Matrix x = read_matrix(a.context(), a.in(0), i, m * n);
    const Matrix y = read_matrix(a.context(), a.in(1), i, m * columns);
    const SingularValues f = singular_values(a.context(), x, m, n);
    Matrix solution(static_cast<size_t>(n * columns), 0.0, a.context());
    int32_t rank = 0;
    for (int64_t j = 0; j < k; ++j) {
      const double value = f.s[static_cast<size_t>(j)];
      if (!(value > op.rcond * f.s.front()) || value == 0) continue;
      ++rank;
      for (int64_t c = 0; c < columns; ++c) {
        double dot = 0;
        for (int64_t r = 0; r < m; ++r)
          dot += f.u[static_cast<size_t>(r * k + j)] * y[static_cast<size_t>(r * columns + c)];
        for (int64_t r = 0; r < n; ++r) {
          solution[static_cast<size_t>(r * columns + c)] += f.vh[static_cast<size_t>(j * n + r)] * dot / value;
        }
      }
    }
    full = full && rank == n;
    for (int64_t c = 0; c < columns; ++c) {
      double squares = 0;
      for (int64_t r = 0; r < m; ++r) {
        double gap = -y[static_cast<size_t>(r * columns + c)];
        for (int64_t j = 0; j < n; ++j)
          gap += x[static_cast<size_t>(r * n + j)] * solution[static_cast<size_t>(j * columns + c)];
        squares += gap * gap;
      }
      residuals.push_back(squares);
    }
    if (a.wants(0)) write_matrix(a.out(0), i, solution);
    if (a.wants(2)) a.out(2).data<int32_t>()[i] = rank;
    if (a.wants(3)) write_matrix(a.out(3), i, f.s);
  }
  if (!a.wants(1)) return;
  Shape shape{0};
  if (full) {
    shape = Shape(std::span(s.begin(), static_cast<size_t>(d)));
    shape.insert(d, columns);
  } else {
    residuals.clear();
  }
  a.out(1) = a.make(a.in(0).dtype(), shape);
  a.out(1).assign(a.context(), std::span<const double>(residuals));
}

inline constexpr const OpSchema* lstsq_op = &kOpSchema<Lstsq>;

}  // namespace coracle::internal
