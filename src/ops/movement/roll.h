// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/common/operands.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// The elements shifted by shifts[i] along axis[i], those pushed out re-entering at the other end. Without axes the
/// tensor is shifted as one row.
struct Roll {
  static constexpr const char* kName = "roll";
  static constexpr const char* kLegacy[] = {"roll"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("shifts", "shifts", "ShiftsTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Ints axis;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const Roll&, const Roll&) = default;
  static void lower(Lowering& l);
};

inline void infer(const Roll& op, InferArgs& a) {
  require_operand(a, 1, "shifts");
  a.set(0, a.dtype(0), a.shape(0));
  const std::optional<Ints> shifts = a.ints(1);
  const size_t expected = op.axis.empty() ? 1 : op.axis.size();
  require(!shifts || shifts->size() == expected, "roll has ", shifts ? shifts->size() : 0, " shifts, expected ",
          expected);
  if (!a.shape(0).rank_known()) return;
  for (int64_t axis : op.axis) normalize_axis(axis, a.shape(0).rank());
}

inline void reference(const Roll& op, ReferenceArgs& a) {
  const Tensor& x = a.in(0);
  const Ints shifts = a.in(1).integers(a.context());
  const ElementWalk all = op.axis.empty() ? row_major(Shape{x.count()}) : row_major(x.shape());
  if (x.count() == 0) return;
  int64_t shift[Shape::kMaxRank] = {};
  for (size_t i = 0; i < shifts.size(); ++i) {
    const int axis = op.axis.empty() ? 0 : normalize_axis(op.axis[i], all.rank);
    const int64_t n = all.size[axis];
    shift[axis] = ((shift[axis] + shifts[i] % n) % n + n) % n;
  }
  // In each dimension the last `shift` elements go to the front: every combination of the two parts is a box.
  for (int box = 0; box < (1 << all.rank); ++box) {
    ElementWalk read = all;
    ElementWalk write = all;
    bool empty = false;
    for (int d = 0; d < all.rank; ++d) {
      const bool tail = (box >> d & 1) != 0;
      const int64_t n = tail ? shift[d] : all.size[d] - shift[d];
      empty = empty || n == 0;
      read.size[d] = write.size[d] = n;
      read.start += tail ? (all.size[d] - shift[d]) * all.step[d] : 0;
      write.start += tail ? 0 : shift[d] * all.step[d];
    }
    if (!empty) copy_elements(a.context(), x.raw(), read, a.out(0).raw(), write, size_of(x.dtype()));
  }
}

/// Early programs call the attribute `dims`.
inline void Roll::lower(Lowering& l) {
  if (l.attributes().has("axis") || !l.attributes().has("dims")) return l.lower_by_ports(kOpSchema<Roll>);
  l.bind("Out", l.add(Roll{.axis = l.attribute<Ints>("dims")}, l.ports_of(kOpSchema<Roll>)));
}

inline constexpr const OpSchema* roll_op = &kOpSchema<Roll>;

}  // namespace coracle::internal
