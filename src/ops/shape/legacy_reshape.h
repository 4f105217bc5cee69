// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {

/// What PIR calls the first `reshape` of Paddle: the same as reshape.
struct LegacyReshape {
  static constexpr const char* kName = "legacy_reshape";
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("shape", "shape", "Shape", "ShapeTensor")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const LegacyReshape&, const LegacyReshape&) = default;
  static void lower(Lowering& l) { l.bind("Out", l.add(Reshape{}, l.ports_of(kOpSchema<Reshape>))); }
};

inline constexpr const OpSchema* legacy_reshape_op = &kOpSchema<LegacyReshape>;

}  // namespace coracle::internal
