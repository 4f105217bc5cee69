// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/movement/triangle.h"

namespace coracle::internal {

/// The elements of each matrix on and below a diagonal; the rest is zero.
struct Tril : UnaryOperator {
  static constexpr const char* kName = "tril";
  int diagonal = 0;
  void attributes(AttributeVisitor& visit) { visit("diagonal", diagonal); }
  friend bool operator==(const Tril&, const Tril&) = default;
};

inline void infer(const Tril&, InferArgs& a) { infer_triangle(a); }

inline void reference(const Tril& op, ReferenceArgs& a) { reference_triangle(a.in(0), a.out(0), op.diagonal, true); }

inline constexpr const OpSchema* tril_op = &kOpSchema<Tril>;

}  // namespace coracle::internal
