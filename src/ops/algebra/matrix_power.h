// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/linear_algebra.h"

namespace coracle::internal {

/// Square matrices to a whole power; negative ones of the inverses.
struct MatrixPower {
  static constexpr const char* kName = "matrix_power";
  static constexpr const char* kLegacy[] = {"matrix_power"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int64_t n = 1;
  void attributes(AttributeVisitor& visit) { visit("n", n); }
  friend bool operator==(const MatrixPower&, const MatrixPower&) = default;
};

inline void infer(const MatrixPower&, InferArgs& a) {
  require_square(a.shape(0), "x");
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const MatrixPower& op, ReferenceArgs& a) {
  const int64_t size = a.shape(0).back();
  Matrix one(static_cast<size_t>(size * size), 0.0, a.context());
  for (int64_t i = 0; i < size; ++i) one[static_cast<size_t>(i * size + i)] = 1.0;
  for (int64_t i = 0, count = a.shape(0).count(0, a.shape(0).rank() - 2); i < count; ++i) {
    Matrix base = read_matrix(a.context(), a.in(0), i, size * size);
    if (op.n < 0) base = lu_solve(a.context(), lu_factors(a.context(), std::move(base), size), one, size, size);
    Matrix power = one;
    for (uint64_t left = op.n < 0 ? uint64_t{0} - static_cast<uint64_t>(op.n) : static_cast<uint64_t>(op.n);
         left != 0;) {
      if ((left & 1U) != 0) power = multiply_square(a.context(), power, base, size);
      left >>= 1U;
      if (left != 0) base = multiply_square(a.context(), base, base, size);
    }
    write_matrix(a.out(0), i, power);
  }
}

inline constexpr const OpSchema* matrix_power_op = &kOpSchema<MatrixPower>;

}  // namespace coracle::internal
