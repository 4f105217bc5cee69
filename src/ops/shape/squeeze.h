// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// Drops the dimensions of size 1 among `axis`, or all of them where `axis` is empty or absent.
struct Squeeze {
  static constexpr const char* kName = "squeeze";
  static constexpr const char* kLegacy[] = {"squeeze2", "squeeze"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("axis", "axes", "AxesTensor", "AxesTensorList")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("xshape", "XShape")};
  static constexpr bool kReshapes = true;
  friend bool operator==(const Squeeze&, const Squeeze&) = default;
};

inline void infer(const Squeeze&, InferArgs& a) {
  const Shape& x = a.shape(0);
  const std::optional<Ints> axes = a.has(1) ? a.ints(1) : Ints{};
  a.set(0, a.dtype(0), Shape::unknown_rank());
  a.set(1, a.dtype(0), Shape{0});
  if (!x.rank_known() || !axes) return;
  if (x.is_scalar()) return a.set(0, a.dtype(0), x);
  bool drop[Shape::kMaxRank] = {};
  for (int i = 0; i < x.rank(); ++i) drop[i] = axes->empty();
  for (int64_t axis : *axes) drop[normalize_axis(axis, x.rank())] = true;
  Shape y;
  for (int i = 0; i < x.rank(); ++i) {
    if (drop[i] && x[i] < 0) return;
    if (!drop[i] || x[i] != 1) y.push_back(x[i]);
  }
  a.set(0, a.dtype(0), y);
  share_lod_of_equal_rows(a);
}

inline void reference(const Squeeze&, ReferenceArgs& a) { copy_tensor(a.context(), a.in(0), a.out(0)); }

inline constexpr const OpSchema* squeeze_op = &kOpSchema<Squeeze>;

}  // namespace coracle::internal
