// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/creation/full_like.h"

namespace coracle::internal {

/// A tensor of x's shape and type, every element the same number.
struct Fill {
  static constexpr const char* kName = "fill";
  static constexpr const char* kLegacy[] = {"fill_any"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_in("value", "value")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const ValueId value = l.has("value") ? l.input("value")
                                         : l.constant(Tensor::scalar(static_cast<float>(l.attribute<double>("value"))));
    l.bind("Out", l.add(FullLike{}, {{l.input("X")}, {value}}));
  }
  friend bool operator==(const Fill&, const Fill&) = default;
};

inline constexpr const OpSchema* fill_op = &kOpSchema<Fill>;

}  // namespace coracle::internal
