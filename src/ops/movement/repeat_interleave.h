// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/movement/rearranging.h"
#include "ops/movement/repeat_interleave_with_tensor_index.h"

namespace coracle::internal {

/// Each slice of x along `axis` `repeats` times in a row.
struct RepeatInterleave {
  static constexpr const char* kName = "repeat_interleave";
  static constexpr const char* kLegacy[] = {"repeat_interleave"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int repeats = 1;
  int axis = 0;
  void attributes(AttributeVisitor& visit) {
    visit("repeats", repeats, "Repeats");
    visit("axis", axis, "dim");
  }
  friend bool operator==(const RepeatInterleave&, const RepeatInterleave&) = default;
  static void lower(Lowering& l);
};

inline void infer(const RepeatInterleave& op, InferArgs& a) {
  require(op.repeats >= 0, "repeats is ", op.repeats, ", expected none negative");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    const int axis = normalize_axis(op.axis, y.rank());
    y[axis] = multiplied(y[axis], op.repeats);
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const RepeatInterleave& op, ReferenceArgs& a) {
  const ElementWalk all = row_major(a.shape(0));
  const int axis = normalize_axis(op.axis, all.rank);
  ElementWalk read;
  for (int i = 0; i < all.rank; ++i) {
    read.push_back(all.size[i], all.step[i]);
    if (i == axis) read.push_back(op.repeats, 0);
  }
  gather_elements(a.context(), a.in(0), read, a.out(0));
}

/// ProgramDesc has one operator for both forms.
inline void RepeatInterleave::lower(Lowering& l) {
  const bool by_tensor = !l.is_pir() && l.has("RepeatsTensor");
  l.lower_by_ports(by_tensor ? kOpSchema<RepeatInterleaveWithTensorIndex> : kOpSchema<RepeatInterleave>);
}

inline constexpr const OpSchema* repeat_interleave_op = &kOpSchema<RepeatInterleave>;

}  // namespace coracle::internal
