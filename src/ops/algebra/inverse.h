// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/linear_algebra.h"

namespace coracle::internal {

/// The inverses of square matrices.
struct Inverse {
  static constexpr const char* kName = "inverse";
  static constexpr const char* kLegacy[] = {"inverse"};
  static constexpr Port kInputs[] = {in("x", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Inverse&, const Inverse&) = default;
};

inline void infer(const Inverse&, InferArgs& a) {
  require_square(a.shape(0), "x");
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const Inverse&, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  Matrix columns(static_cast<size_t>(n * n), a.context());
  Matrix inverse = columns;
  for (int64_t i = 0, count = a.shape(0).count(0, a.shape(0).rank() - 2); i < count; ++i) {
    const LuFactors f = lu_factors(a.context(), read_matrix(a.context(), a.in(0), i, n * n), n);
    invert_lu(a.context(), f.lu.data(), n, columns.data());
    for (int64_t at = 0; at < n * n; ++at) {
      const int64_t place = at / n * n + f.rows[static_cast<size_t>(at % n)];
      inverse[static_cast<size_t>(place)] = columns[static_cast<size_t>(at)];
    }
    write_matrix(a.out(0), i, inverse);
  }
}

inline constexpr const OpSchema* inverse_op = &kOpSchema<Inverse>;

}  // namespace coracle::internal
