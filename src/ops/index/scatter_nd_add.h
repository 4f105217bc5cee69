// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/index/scattering.h"

namespace coracle::internal {

/// x with `updates` added where the rows of index (its last dimension addresses leading dimensions of x) say.
struct ScatterNdAdd {
  static constexpr const char* kName = "scatter_nd_add";
  static constexpr const char* kLegacy[] = {"scatter_nd_add"};
  static constexpr Port kInputs[] = {in("x", "X"), in("index", "Index"), in("updates", "Updates")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const ScatterNdAdd&, const ScatterNdAdd&) = default;
};

inline void infer(const ScatterNdAdd&, InferArgs& a) {
  const Shape& x = a.shape(0);
  Shape index = a.shape(1);
  require(a.dtype(0) == a.dtype(2), "x is ", a.dtype(0), " and updates ", a.dtype(2));
  if (x.rank_known() && index.rank_known() && (index.is_scalar() || index.back() >= 0)) {
    const int64_t depth = index.is_scalar() ? 1 : index.back();
    require(depth <= x.rank(), "index ", index, " addresses ", depth, " dimensions of x ", x);
    if (!index.is_scalar()) index.erase(index.rank() - 1);
    require_updates(x, index, static_cast<int>(depth), a.shape(2));
  }
  a.set(0, a.dtype(0), x);
}

inline void reference(const ScatterNdAdd&, ReferenceArgs& a) {
  copy_tensor(a.context(), a.in(0), a.out(0));
  const Shape& x = a.shape(0);
  const int depth = static_cast<int>(a.shape(1).is_scalar() ? 1 : a.shape(1).back());
  scatter_rows(a.in(2), row_positions(a.context(), a.in(1), x), x.count(depth, x.rank()), true, a.out(0));
}

inline constexpr const OpSchema* scatter_nd_add_op = &kOpSchema<ScatterNdAdd>;

}  // namespace coracle::internal
