// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/algebra/decompositions.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// Singular values, descending, with u diag(s) vh = x; u and vh are square if full_matrices. The signs of a pair of
/// columns of u and rows of vh are arbitrary.
struct Svd {
  static constexpr const char* kName = "svd";
  static constexpr const char* kLegacy[] = {"svd"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("u", "U"), out("s", "S"), out("vh", "VH")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool full_matrices = false;
  void attributes(AttributeVisitor& visit) { visit("full_matrices", full_matrices); }
  friend bool operator==(const Svd&, const Svd&) = default;
};

inline void infer(const Svd& op, InferArgs& a) {
  Shape u = a.shape(0);
  Shape s = a.shape(0);
  Shape vh = a.shape(0);
  if (u.rank_known()) {
    require(u.rank() >= 2, "x is ", u, ", expected matrices");
    const int d = u.rank() - 2;
    const int64_t k = u[d] < 0 || u[d + 1] < 0 ? Shape::kUnknown : std::min(u[d], u[d + 1]);
    vh[d] = op.full_matrices ? u[d + 1] : k;
    u[d + 1] = op.full_matrices ? u[d] : k;
    s.erase(d + 1);
    s[d] = k;
  }
  a.set(0, a.dtype(0), u);
  a.set(1, a.dtype(0), s);
  a.set(2, a.dtype(0), vh);
  share_lod(a, 1, 0);
  share_lod(a, 2, 0);
}

inline void reference(const Svd& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t m = s[s.rank() - 2];
  const int64_t n = s.back();
  const int64_t k = std::min(m, n);
  for (int64_t i = 0, count = s.count(0, s.rank() - 2); i < count; ++i) {
    SingularValues f = singular_values(a.context(), read_matrix(a.context(), a.in(0), i, m * n), m, n);
    if (op.full_matrices && k < m) f.u = completed_basis(a.context(), f.u, m, k);
    if (op.full_matrices && k < n) {
      f.vh = transposed_matrix(a.context(),
                               completed_basis(a.context(), transposed_matrix(a.context(), f.vh, k, n), n, k), n, n);
    }
    if (a.wants(0)) write_matrix(a.out(0), i, f.u);
    if (a.wants(1)) write_matrix(a.out(1), i, f.s);
    if (a.wants(2)) write_matrix(a.out(2), i, f.vh);
  }
}

inline constexpr const OpSchema* svd_op = &kOpSchema<Svd>;

}  // namespace coracle::internal
