// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/operands.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// Inserts a dimension of size 1 at each of `axis`, one after the other.
struct Unsqueeze {
  static constexpr const char* kName = "unsqueeze";
  static constexpr const char* kLegacy[] = {"unsqueeze2", "unsqueeze"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("axis", "axes", "AxesTensor", "AxesTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("xshape", "XShape")};
  static constexpr bool kReshapes = true;
  friend bool operator==(const Unsqueeze&, const Unsqueeze&) = default;
};

inline void infer(const Unsqueeze&, InferArgs& a) {
  require_operand(a, 1, "axis");
  const std::optional<Ints> axes = a.ints(1);
  Shape y = a.shape(0);
  a.set(1, a.dtype(0), Shape{0});
  if (y.rank_known() && axes) {
    for (int64_t axis : *axes) y.insert(normalize_axis(axis, y.rank() + 1), 1);
  } else if (y.rank_known() && a.has(1) && a.shape(1).known()) {
    y = Shape::filled(y.rank() + listed_rank(a, 1), Shape::kUnknown);
  } else {
    y = Shape::unknown_rank();
  }
  a.set(0, a.dtype(0), y);
  share_lod_of_equal_rows(a);
}

inline void reference(const Unsqueeze&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline constexpr const OpSchema* unsqueeze_op = &kOpSchema<Unsqueeze>;

}  // namespace coracle::internal
