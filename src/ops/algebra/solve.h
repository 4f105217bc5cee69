// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/linear_algebra.h"

namespace coracle::internal {

/// The solutions of systems x @ out = y; y may be a vector, or one for each matrix.
struct Solve {
  static constexpr const char* kName = "solve";
  static constexpr const char* kLegacy[] = {"solve"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Solve&, const Solve&) = default;
};

inline bool is_vector_system(const Shape& x, const Shape& y) {
  return y.rank() == 1 ||
         (y.rank() == x.rank() - 1 && compatible(y, Shape(std::span(x.begin(), static_cast<size_t>(x.rank() - 1)))));
}

/// y as matrices of right sides.
inline Shape right_side(const Shape& x, const Shape& y) {
  Shape s = y;
  if (is_vector_system(x, y)) s.push_back(1);
  return s;
}

inline void infer(const Solve&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& y = a.shape(1);
  if (!x.rank_known() || !y.rank_known()) return a.set(0, a.dtype(0), Shape::unknown_rank());
  const bool vector = is_vector_system(x, y);
  Shape solution = solution_shape(x, right_side(x, y));
  if (vector) solution.erase(solution.rank() - 1);
  a.set(0, a.dtype(0), solution);
}

inline void reference(const Solve&, ReferenceArgs& a) {
  const Shape right = right_side(a.shape(0), a.shape(1));
  const Shape y = solution_shape(a.shape(0), right);
  const int64_t n = y[y.rank() - 2];
  const int64_t k = y.back();
  each_system(y, a.shape(0), right, [&](int64_t i, int64_t m, int64_t b) {
    const LuFactors f = lu_factors(a.context(), read_matrix(a.context(), a.in(0), m, n * n), n);
    write_matrix(a.out(0), i, lu_solve(a.context(), f, read_matrix(a.context(), a.in(1), b, n * k), n, k));
  });
}

inline constexpr const OpSchema* solve_op = &kOpSchema<Solve>;

}  // namespace coracle::internal
