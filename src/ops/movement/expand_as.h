// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/expand.h"

namespace coracle::internal {

/// x broadcast to the shape of y, or to `target_shape` where y is absent.
struct ExpandAs {
  static constexpr const char* kName = "expand_as";
  static constexpr const char* kLegacy[] = {"expand_as_v2"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  Ints target_shape;
  void attributes(AttributeVisitor& visit) { visit("target_shape", target_shape); }
  friend bool operator==(const ExpandAs&, const ExpandAs&) = default;
};

inline void infer(const ExpandAs& op, InferArgs& a) {
  if (!a.has(1)) return a.set(0, a.dtype(0), expanded_shape(a.shape(0), op.target_shape));
  if (!a.shape(1).rank_known()) return a.set(0, a.dtype(0), Shape::unknown_rank());
  Shape y = expanded_shape(Shape::unknown_rank(), a.shape(1).dims());
  if (a.shape(1).known()) y = expanded_shape(a.shape(0), a.shape(1).dims());
  a.set(0, a.dtype(0), y);
}

inline void reference(const ExpandAs&, ReferenceArgs& a) {
  gather_elements(a.context(), a.in(0), broadcast_steps(a.shape(0), a.out(0).shape()), a.out(0));
}

inline constexpr const OpSchema* expand_as_op = &kOpSchema<ExpandAs>;

}  // namespace coracle::internal
