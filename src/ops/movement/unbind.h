// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/joining.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// The slices of x along `axis`, without that dimension.
struct Unbind {
  static constexpr const char* kName = "unbind";
  static constexpr const char* kLegacy[] = {"unbind"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {list_out("out", "Out")};
  int axis = 0;
  void attributes(AttributeVisitor& visit) { visit("axis", axis); }
  friend bool operator==(const Unbind&, const Unbind&) = default;
};

inline void infer(const Unbind& op, InferArgs& a) {
  infer_slices(a, op.axis);
  for (int i = 0; i < a.out_count(0); ++i) share_lod(a, 0, 0, i);
}

inline void reference(const Unbind& op, ReferenceArgs& a) { reference_slices(a, op.axis); }

inline std::optional<StridedView> view_of_result(const Unbind& op, const NodeFacts& f, const StridedView& x,
                                                 int result) {
  const int rank = f.shape(0).rank();
  const int axis = normalize_axis(op.axis, rank);
  StridedView y = without_dimension(x, axis, rank);
  y.start += result * x.step[axis];
  return y;
}

inline constexpr const OpSchema* unbind_op = &kOpSchema<Unbind>;

}  // namespace coracle::internal
