// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/operands.h"
#include "ops/common/sharing_lod.h"
#include "ops/movement/expanding.h"

namespace coracle::internal {

/// x repeated repeat_times[i] times in dimension i; last dimensions are aligned.
struct Tile {
  static constexpr const char* kName = "tile";
  static constexpr const char* kLegacy[] = {"tile"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("x", "X"),
                                     shape_in("repeat_times", "repeat_times", "RepeatTimes", "repeat_times_tensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Tile&, const Tile&) = default;
};

inline void infer_tile(InferArgs& a) {
  require_operand(a, 1, "repeat_times");
  const Shape& x = a.shape(0);
  const std::optional<Ints> times = a.ints(1);
  Shape y = Shape::unknown_rank();
  if (x.rank_known() && times) {
    y = tiled_shape(x, *times);
  } else if (x.rank_known() && a.has(1) && a.shape(1).known()) {
    y = Shape::filled(std::max(x.rank(), listed_rank(a, 1)), Shape::kUnknown);
  }
  a.set(0, a.dtype(0), y);
  share_lod_of_equal_rows(a);
}

inline void infer(const Tile&, InferArgs& a) { infer_tile(a); }

inline void reference(const Tile&, ReferenceArgs& a) {
  gather_elements(a.context(), a.in(0), tile_steps(a.shape(0), a.in(1).integers(a.context())), a.out(0));
}

inline constexpr const OpSchema* tile_op = &kOpSchema<Tile>;

}  // namespace coracle::internal
