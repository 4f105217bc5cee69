// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// The elements in reverse order along each of `axis`.
struct Flip {
  static constexpr const char* kName = "flip";
  static constexpr const char* kLegacy[] = {"flip"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Ints axis;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const Flip&, const Flip&) = default;
  static void lower(Lowering& l);
};

/// A walk over x backwards along `axes`.
inline ElementWalk reversed_steps(const Shape& x, const Ints& axes) {
  ElementWalk s = row_major(x);
  bool done[Shape::kMaxRank] = {};
  for (int64_t a : axes) {
    const int axis = normalize_axis(a, x.rank());
    if (done[axis] || s.size[axis] == 0) continue;
    done[axis] = true;
    s.start += (s.size[axis] - 1) * s.step[axis];
    s.step[axis] = -s.step[axis];
  }
  return s;
}

inline void infer(const Flip& op, InferArgs& a) {
  a.set(0, a.dtype(0), a.shape(0));
  if (!a.shape(0).rank_known()) return;
  for (int64_t axis : op.axis) normalize_axis(axis, a.shape(0).rank());
}

inline void reference(const Flip& op, ReferenceArgs& a) {
  gather_elements(a.context(), a.in(0), reversed_steps(a.shape(0), op.axis), a.out(0));
}

/// Early programs call the attribute `dims`.
inline void Flip::lower(Lowering& l) {
  if (l.attributes().has("axis") || !l.attributes().has("dims")) return l.lower_by_ports(kOpSchema<Flip>);
  l.bind("Out", l.add(Flip{.axis = l.attribute<Ints>("dims")}, {{l.input("X")}}));
}

inline constexpr const OpSchema* flip_op = &kOpSchema<Flip>;

}  // namespace coracle::internal
