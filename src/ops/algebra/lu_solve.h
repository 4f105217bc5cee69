// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/buffer.h"
#include "ops/algebra/decompositions.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// The solutions of systems whose matrices lu() has factored ("T": of their transposes); b are the right sides.
struct LuSolve {
  static constexpr const char* kName = "lu_solve";
  static constexpr Port kInputs[] = {in("b", "b"), in("lu", "lu"), in("pivots", "pivots")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  std::string trans = "N";
  void attributes(AttributeVisitor& visit) { visit("trans", trans); }
  friend bool operator==(const LuSolve&, const LuSolve&) = default;
};

inline void infer(const LuSolve& op, InferArgs& a) {
  require(op.trans == "N" || op.trans == "T", "trans is \"", op.trans, "\", expected \"N\" or \"T\"");
  require_square(a.shape(1), "lu");
  Shape pivots = a.shape(1);
  if (pivots.rank_known()) pivots.erase(pivots.rank() - 1);
  met(a.shape(2), pivots);
  a.set(0, a.dtype(0), solution_shape(a.shape(1), a.shape(0)));
}

inline void reference(const LuSolve& op, ReferenceArgs& a) {
  const Shape& y = a.out(0).shape();
  const int64_t n = y[y.rank() - 2];
  const int64_t k = y.back();
  const Buffer<int64_t> pivots = a.integers(2);
  const bool transposed = op.trans == "T";
  each_system(y, a.shape(1), a.shape(0), [&](int64_t i, int64_t m, int64_t b) {
    const Matrix lu = read_matrix(a.context(), a.in(1), m, n * n);
    Matrix x = read_matrix(a.context(), a.in(0), b, n * k);
    const auto exchange = [&](int64_t row) {
      const int64_t pivot = pivots[static_cast<size_t>(m * n + row)];  // counted from 1
      require(pivot >= 1 && pivot <= n, ErrorCode::kRunFailure, "pivot ", pivot, " of ", n, " rows");
      for (int64_t c = 0; c < k; ++c) {
        std::swap(x[static_cast<size_t>(row * k + c)], x[static_cast<size_t>((pivot - 1) * k + c)]);
      }
    };
    // The matrix is the row exchanges, undone from the last on, of lower times upper.
    for (int64_t row = 0; !transposed && row < n; ++row) exchange(row);
    x = triangular_solution(a.context(), lu, std::move(x), n, k, transposed, transposed, !transposed);
    x = triangular_solution(a.context(), lu, std::move(x), n, k, !transposed, transposed, transposed);
    for (int64_t row = n - 1; transposed && row >= 0; --row) exchange(row);
    write_matrix(a.out(0), i, x);
  });
}

inline constexpr const OpSchema* lu_solve_op = &kOpSchema<LuSolve>;

}  // namespace coracle::internal
