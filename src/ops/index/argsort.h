// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/sharing_lod.h"
#include "ops/index/sorting.h"

namespace coracle::internal {

/// x sorted along `axis`, and the indices its elements had. Equal ones keep their order; NaN counts as the largest.
struct Argsort {
  static constexpr const char* kName = "argsort";
  static constexpr const char* kLegacy[] = {"argsort"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), out("indices", "Indices")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = -1;
  bool descending = false;
  bool stable = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("descending", descending);
    visit("stable", stable);
  }
  friend bool operator==(const Argsort&, const Argsort&) = default;
};

inline void infer(const Argsort& op, InferArgs& a) {
  if (a.shape(0).rank_known()) sorting_axis(op.axis, a.shape(0));
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, DType::kInt64, a.shape(0));
  share_lod(a, 1, 0);
}

inline void reference(const Argsort& op, ReferenceArgs& a) {
  const int axis = sorting_axis(op.axis, a.shape(0));
  take_sorted(a.context(), a.in(0), axis, op.descending, a.shape(0).is_scalar() ? 1 : a.shape(0)[axis], a.out(0),
              &a.out(1));
}

inline constexpr const OpSchema* argsort_op = &kOpSchema<Argsort>;

}  // namespace coracle::internal
