// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/algebra/linear_algebra.h"

namespace coracle::internal {

/// The determinants of square matrices.
struct Det {
  static constexpr const char* kName = "det";
  static constexpr const char* kLegacy[] = {"determinant"};
  static constexpr Port kInputs[] = {in("x", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Det&, const Det&) = default;
};

inline void infer(const Det&, InferArgs& a) {
  require_square(a.shape(0), "x");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    y.erase(y.rank() - 1);
    y.erase(y.rank() - 1);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Det&, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  for (int64_t i = 0, count = a.out(0).count(); i < count; ++i) {
    const LuFactors f = lu_factors(a.context(), read_matrix(a.context(), a.in(0), i, n * n), n);
    double product = f.sign;
    for (int64_t k = 0; k < n; ++k) product *= f.lu[static_cast<size_t>(k * n + k)];
    write_matrix(a.out(0), i, {&product, 1});
  }
}

inline constexpr const OpSchema* det_op = &kOpSchema<Det>;

}  // namespace coracle::internal
