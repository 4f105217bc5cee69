// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/long_loop.h"
#include "ops/algebra/decompositions.h"

namespace coracle::internal {

/// The triangles of square or other matrices in one (the unit diagonal of the lower one is not kept), with the row
/// exchanges counted from 1: row k was exchanged with row pivots[k] in step k. infos is 0, or the first step without a
/// pivot.
struct Lu {
  static constexpr const char* kName = "lu";
  static constexpr const char* kLegacy[] = {"lu"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("pivots", "Pivots"),
                                      optional_out("infos", "Infos")};
  bool pivot = true;
  void attributes(AttributeVisitor& visit) { visit("pivot", pivot, "pivots"); }
  friend bool operator==(const Lu&, const Lu&) = default;
};

inline void infer(const Lu&, InferArgs& a) {
  Shape pivots = a.shape(0);
  Shape infos = a.shape(0);
  if (pivots.rank_known()) {
    require(pivots.rank() >= 2, "x is ", pivots, ", expected matrices");
    const int d = pivots.rank() - 2;
    pivots[d] = pivots[d] < 0 || pivots[d + 1] < 0 ? Shape::kUnknown : std::min(pivots[d], pivots[d + 1]);
    pivots.erase(d + 1);
    infos.erase(d + 1);
    infos.erase(d);
    if (d == 0) infos = Shape{1};
  }
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, DType::kInt32, pivots);
  a.set(2, DType::kInt32, infos);
}

inline void reference(const Lu& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t m = s[s.rank() - 2];
  const int64_t n = s.back();
  const int64_t k = std::min(m, n);
  const auto at = [n](int64_t i, int64_t j) { return static_cast<size_t>(i * n + j); };
  LoopCheck check(a.context());
  for (int64_t i = 0, count = s.count(0, s.rank() - 2); i < count; ++i) {
    Matrix x = read_matrix(a.context(), a.in(0), i, m * n);
    int32_t info = 0;
    for (int64_t step = 0; step < k; ++step) {
      int64_t pivot = step;
      for (int64_t r = step + 1; op.pivot && r < m; ++r) {
        if (std::fabs(x[at(r, step)]) > std::fabs(x[at(pivot, step)])) pivot = r;
      }
      if (a.wants(1)) a.out(1).data<int32_t>()[i * k + step] = static_cast<int32_t>(pivot + 1);
      for (int64_t j = 0; pivot != step && j < n; ++j) std::swap(x[at(step, j)], x[at(pivot, j)]);
      if (x[at(step, step)] == 0) {
        if (info == 0) info = static_cast<int32_t>(step + 1);
        continue;
      }
      for (int64_t r = step + 1; r < m; ++r) {
        check.step(n - step);
        const double factor = x[at(r, step)] / x[at(step, step)];
        x[at(r, step)] = factor;
        for (int64_t j = step + 1; j < n; ++j) x[at(r, j)] -= factor * x[at(step, j)];
      }
    }
    if (a.wants(0)) write_matrix(a.out(0), i, x);
    if (a.wants(2)) a.out(2).data<int32_t>()[i] = info;
  }
}

inline constexpr const OpSchema* lu_op = &kOpSchema<Lu>;

}  // namespace coracle::internal
