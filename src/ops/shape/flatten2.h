// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// A matrix: dimensions before `axis` become its rows, the others its columns. A scalar becomes one element.
struct Flatten2 {
  static constexpr const char* kName = "flatten2";
  static constexpr const char* kLegacy[] = {"flatten2", "flatten"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("xshape", "XShape")};
  static constexpr bool kReshapes = true;
  int axis = 1;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const Flatten2&, const Flatten2&) = default;
};

inline void infer(const Flatten2& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  Shape y{1, 1};
  a.set(1, a.dtype(0), Shape{0});
  if (!x.rank_known()) return a.set(0, a.dtype(0), Shape::filled(2, Shape::kUnknown));
  if (x.is_scalar()) {
    require(op.axis == 0, "axis is ", op.axis, " for a scalar, expected 0");
    return a.set(0, a.dtype(0), Shape{1});
  }
  const int axis = op.axis == x.rank() ? x.rank() : normalize_axis(op.axis, x.rank());
  for (int i = 0; i < x.rank(); ++i) {
    int64_t& side = y[i < axis ? 0 : 1];
    side = side < 0 || x[i] < 0 ? Shape::kUnknown : checked_multiply(side, x[i]);
  }
  a.set(0, a.dtype(0), y);
  share_lod_of_equal_rows(a);
}

inline void reference(const Flatten2&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline constexpr const OpSchema* flatten2_op = &kOpSchema<Flatten2>;

}  // namespace coracle::internal
