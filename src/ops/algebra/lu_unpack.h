// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/buffer.h"
#include "ops/algebra/decompositions.h"

namespace coracle::internal {

/// The permutation, the unit lower and the upper triangle that lu() packed: pmat l u is the matrix.
struct LuUnpack {
  static constexpr const char* kName = "lu_unpack";
  static constexpr const char* kLegacy[] = {"lu_unpack"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Pivots")};
  static constexpr Port kOutputs[] = {out("pmat", "Pmat"), out("l", "L"), out("u", "U")};
  bool unpack_ludata = true;
  bool unpack_pivots = true;
  void attributes(AttributeVisitor& visit) {
    visit("unpack_ludata", unpack_ludata);
    visit("unpack_pivots", unpack_pivots);
  }
  friend bool operator==(const LuUnpack&, const LuUnpack&) = default;
};

inline void infer(const LuUnpack&, InferArgs& a) {
  Shape p = a.shape(0);
  Shape l = a.shape(0);
  Shape u = a.shape(0);
  if (p.rank_known()) {
    require(p.rank() >= 2, "x is ", p, ", expected matrices");
    const int d = p.rank() - 2;
    const int64_t k = p[d] < 0 || p[d + 1] < 0 ? Shape::kUnknown : std::min(p[d], p[d + 1]);
    p[d + 1] = p[d];
    l[d + 1] = k;
    u[d] = k;
    const Shape& pivots = a.shape(1);
    if (a.shape(0).known() && pivots.known()) {
      require(pivots.count() == a.shape(0).count(0, d) * k, "pivots are ", pivots, " for x ", a.shape(0));
    }
  }
  a.set(0, a.dtype(0), p);
  a.set(1, a.dtype(0), l);
  a.set(2, a.dtype(0), u);
}

inline void reference(const LuUnpack&, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t m = s[s.rank() - 2];
  const int64_t n = s.back();
  const int64_t k = std::min(m, n);
  const Buffer<int64_t> pivots = a.integers(1);
  for (int64_t i = 0, count = s.count(0, s.rank() - 2); i < count; ++i) {
    const Matrix x = read_matrix(a.context(), a.in(0), i, m * n);
    Matrix l(static_cast<size_t>(m * k), 0.0, a.context());
    Matrix u(static_cast<size_t>(k * n), 0.0, a.context());
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        const double v = x[static_cast<size_t>(r * n + c)];
        if (r > c && c < k) l[static_cast<size_t>(r * k + c)] = v;
        if (r == c && c < k) l[static_cast<size_t>(r * k + c)] = 1;
        if (r <= c && r < k) u[static_cast<size_t>(r * n + c)] = v;
      }
    }
    std::vector<int64_t> rows(static_cast<size_t>(m));
    std::iota(rows.begin(), rows.end(), int64_t{0});
    for (int64_t step = 0; step < k; ++step) {
      const int64_t pivot = pivots[static_cast<size_t>(i * k + step)];  // counted from 1
      require(pivot >= 1 && pivot <= m, ErrorCode::kRunFailure, "pivot ", pivot, " of ", m, " rows");
      std::swap(rows[static_cast<size_t>(step)], rows[static_cast<size_t>(pivot - 1)]);
    }
    Matrix p(static_cast<size_t>(m * m), 0.0, a.context());
    for (int64_t c = 0; c < m; ++c) p[static_cast<size_t>(rows[static_cast<size_t>(c)] * m + c)] = 1;
    if (a.wants(0)) write_matrix(a.out(0), i, p);
    if (a.wants(1)) write_matrix(a.out(1), i, l);
    if (a.wants(2)) write_matrix(a.out(2), i, u);
  }
}

inline constexpr const OpSchema* lu_unpack_op = &kOpSchema<LuUnpack>;

}  // namespace coracle::internal
