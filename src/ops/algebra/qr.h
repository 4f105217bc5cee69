// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "ops/algebra/decompositions.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// Orthonormal columns q and an upper triangle r with q r = x: `reduced` (the smaller size), `complete` (square q) or
/// `r` (no q, which is then empty).
struct Qr {
  static constexpr const char* kName = "qr";
  static constexpr const char* kLegacy[] = {"qr"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("q", "Q"), out("r", "R")};
  static constexpr LodRule kLod = LodRule::kFirst;
  std::string mode = "reduced";
  void attributes(AttributeVisitor& visit) { visit("mode", mode); }
  friend bool operator==(const Qr&, const Qr&) = default;
};

inline void infer(const Qr& op, InferArgs& a) {
  require(op.mode == "reduced" || op.mode == "complete" || op.mode == "r", "mode is '", op.mode,
          "', expected 'reduced', 'complete' or 'r'");
  Shape q = a.shape(0);
  Shape r = a.shape(0);
  if (q.rank_known()) {
    require(q.rank() >= 2, "x is ", q, ", expected matrices");
    const int d = q.rank() - 2;
    const int64_t m = q[d];
    const int64_t n = q[d + 1];
    int64_t k = m;
    if (op.mode != "complete") k = m < 0 || n < 0 ? Shape::kUnknown : std::min(m, n);
    q[d + 1] = k;
    r[d] = k;
    if (op.mode == "r") q = Shape{0};
  }
  a.set(0, a.dtype(0), q);
  a.set(1, a.dtype(0), r);
  share_lod(a, 1, 0);
}

inline void reference(const Qr& op, ReferenceArgs& a) {
  const Shape& s = a.shape(0);
  const int64_t m = s[s.rank() - 2];
  const int64_t n = s.back();
  for (int64_t i = 0, count = s.count(0, s.rank() - 2); i < count; ++i) {
    const QrFactors f =
        qr_factors(a.context(), read_matrix(a.context(), a.in(0), i, m * n), m, n, op.mode == "complete");
    if (op.mode != "r" && a.wants(0)) write_matrix(a.out(0), i, f.q);
    if (a.wants(1)) write_matrix(a.out(1), i, f.r);
  }
}

inline constexpr const OpSchema* qr_op = &kOpSchema<Qr>;

}  // namespace coracle::internal
