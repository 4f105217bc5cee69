// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/unary.h"
#include "ops/movement/triangle.h"

namespace coracle::internal {

/// The elements of each matrix on and above a diagonal; the rest is zero.
struct Triu : UnaryOperator {
  static constexpr const char* kName = "triu";
  int diagonal = 0;
  void attributes(AttributeVisitor& visit) { visit("diagonal", diagonal); }
  friend bool operator==(const Triu&, const Triu&) = default;
};

inline void infer(const Triu&, InferArgs& a) { infer_triangle(a); }

inline void reference(const Triu& op, ReferenceArgs& a) { reference_triangle(a.in(0), a.out(0), op.diagonal, false); }

inline constexpr const OpSchema* triu_op = &kOpSchema<Triu>;

}  // namespace coracle::internal
