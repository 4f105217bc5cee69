// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/operands.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// x broadcast to `shape`, where -1 keeps the dimension of x.
struct Expand {
  static constexpr const char* kName = "expand";
  static constexpr const char* kLegacy[] = {"expand_v2"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("shape", "shape", "Shape", "expand_shapes_tensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Expand&, const Expand&) = default;
};

/// The shape of x broadcast to `wanted`; Error where it cannot be.
inline Shape expanded_shape(const Shape& x, std::span<const int64_t> wanted) {
  Shape y(wanted);
  if (!x.rank_known()) return y;
  require(y.rank() >= x.rank(), "x ", x, " cannot be expanded to ", y);
  for (int i = 0; i < y.rank(); ++i) {
    const int from = i - (y.rank() - x.rank());
    require(y[i] >= -1 && (y[i] >= 0 || from >= 0), "x ", x, " cannot be expanded to ", Shape(wanted));
    if (from < 0) continue;
    if (y[i] == -1) y[i] = x[from];
    require(x[from] < 0 || y[i] < 0 || x[from] == 1 || x[from] == y[i], "x ", x, " cannot be expanded to ",
            Shape(wanted));
  }
  return y;
}

inline void infer(const Expand&, InferArgs& a) {
  require_operand(a, 1, "shape");
  const std::optional<Ints> wanted = a.ints(1);
  if (wanted) {
    a.set(0, a.dtype(0), expanded_shape(a.shape(0), *wanted));
    return share_lod_of_equal_rows(a);
  }
  const bool rank_known = a.has(1) && a.shape(1).known();
  a.set(0, a.dtype(0), rank_known ? Shape::filled(listed_rank(a, 1), Shape::kUnknown) : Shape::unknown_rank());
}

inline void reference(const Expand&, ReferenceArgs& a) {
  gather_elements(a.context(), a.in(0), broadcast_steps(a.shape(0), a.out(0).shape()), a.out(0));
}

inline constexpr const OpSchema* expand_op = &kOpSchema<Expand>;

}  // namespace coracle::internal
