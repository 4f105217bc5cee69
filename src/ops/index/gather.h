// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/operands.h"
#include "ops/index/gathering.h"

namespace coracle::internal {

/// The slices of x along `axis` (0 where absent) that `index` names: index is [n], [n, 1], or a scalar, which drops the
/// dimension. A negative index counts from the end.
struct Gather {
  static constexpr const char* kName = "gather";
  static constexpr const char* kLegacy[] = {"gather"};
  static constexpr Port kInputs[] = {in("x", "X"), in("index", "Index"), shape_in("axis", "axis", "Axis")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Gather&, const Gather&) = default;
};

inline void infer(const Gather&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& index = a.shape(1);
  const std::optional<int64_t> axis_value = axis_operand(a, 2);
  require(!index.rank_known() || index.rank() <= 1 || (index.rank() == 2 && (index[1] < 0 || index[1] == 1)),
          "index is ", index, ", expected one dimension");
  Shape y = Shape::unknown_rank();
  if (x.rank_known() && index.rank_known()) {
    y = x;
    const bool drops = index.is_scalar();
    if (axis_value) {
      const int axis = normalize_axis(*axis_value, x.rank());
      if (drops) {
        y.erase(axis);
      } else {
        y[axis] = index[0];
      }
    } else {
      y = Shape::filled(x.rank() - (drops ? 1 : 0), Shape::kUnknown);
    }
  }
  a.set(0, a.dtype(0), y);
}

inline void reference(const Gather&, ReferenceArgs& a) {
  gather_slices(a.context(), a.in(0), a.in(1), normalize_axis(a.has(2) ? a.in(2).integer(0) : 0, a.shape(0).rank()),
                a.out(0));
}

inline constexpr const OpSchema* gather_op = &kOpSchema<Gather>;

}  // namespace coracle::internal
