// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/algebra/decompositions.h"

namespace coracle::internal {

/// Singular values, descending.
struct Svdvals {
  static constexpr const char* kName = "svdvals";
  static constexpr Port kInputs[] = {in("x", "x")};
  static constexpr Port kOutputs[] = {out("s", "s")};
  friend bool operator==(const Svdvals&, const Svdvals&) = default;
};

inline void infer(const Svdvals&, InferArgs& a) {
  Shape s = a.shape(0);
  if (s.rank_known()) {
    require(s.rank() >= 2, "x is ", s, ", expected matrices");
    const int d = s.rank() - 2;
    s[d] = s[d] < 0 || s[d + 1] < 0 ? Shape::kUnknown : std::min(s[d], s[d + 1]);
    s.erase(d + 1);
  }
  a.set(0, a.dtype(0), s);
}

inline void reference(const Svdvals&, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t m = s[s.rank() - 2];
  const int64_t n = s.back();
  for (int64_t i = 0, count = s.count(0, s.rank() - 2); i < count; ++i) {
    write_matrix(a.out(0), i, singular_values(a.context(), read_matrix(a.context(), a.in(0), i, m * n), m, n).s);
  }
}

inline constexpr const OpSchema* svdvals_op = &kOpSchema<Svdvals>;

}  // namespace coracle::internal
