// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "ops/algebra/linear_algebra.h"

namespace coracle::internal {

/// Signs of the determinants of square matrices, then logarithms of their magnitudes.
struct Slogdet {
  static constexpr const char* kName = "slogdet";
  static constexpr const char* kLegacy[] = {"slogdeterminant"};
  static constexpr Port kInputs[] = {in("x", "Input")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Slogdet&, const Slogdet&) = default;
};

inline void infer(const Slogdet&, InferArgs& a) {
  require_square(a.shape(0), "x");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    y.erase(y.rank() - 1);
    y.erase(y.rank() - 1);
    y.insert(0, 2);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Slogdet&, ReferenceArgs& a) {
  const int64_t n = a.shape(0).back();
  const int64_t count = a.out(0).count() / 2;
  for (int64_t i = 0; i < count; ++i) {
    const LuFactors f = lu_factors(a.context(), read_matrix(a.context(), a.in(0), i, n * n), n);
    double sign = f.sign;
    double logarithm = 0;
    for (int64_t k = 0; k < n; ++k) {
      const double d = f.lu[static_cast<size_t>(k * n + k)];
      sign *= d > 0 ? 1.0 : (d < 0 ? -1.0 : 0.0);
      logarithm += std::log(std::fabs(d));
    }
    write_matrix(a.out(0), i, {&sign, 1});
    write_matrix(a.out(0), count + i, {&logarithm, 1});
  }
}

inline constexpr const OpSchema* slogdet_op = &kOpSchema<Slogdet>;

}  // namespace coracle::internal
