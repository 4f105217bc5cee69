// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/tile.h"

namespace coracle::internal {

/// The first `expand` of Paddle: x repeated expand_times[i] times in dimension i.
struct LegacyExpand {
  static constexpr const char* kName = "legacy_expand";
  static constexpr const char* kLegacy[] = {"expand"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     shape_in("shape", "expand_times", "ExpandTimes", "expand_times_tensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const LegacyExpand&, const LegacyExpand&) = default;
};

inline void infer(const LegacyExpand&, InferArgs& a) { infer_tile(a); }

inline void reference(const LegacyExpand&, ReferenceArgs& a) {
  gather_elements(a.context(), a.in(0), tile_steps(a.shape(0), a.in(1).integers(a.context())), a.out(0));
}

inline constexpr const OpSchema* legacy_expand_op = &kOpSchema<LegacyExpand>;

}  // namespace coracle::internal
