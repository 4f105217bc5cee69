// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/elementwise/add.h"
#include "ops/norm/layer_norm.h"

namespace coracle::internal {

/// layer_norm(x + y) of a program that was optimised before it was saved.
struct SkipLayernorm {
  static constexpr const char* kName = "skip_layernorm";
  static constexpr const char* kLegacy[] = {"skip_layernorm"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), optional_in("scale", "Scale"),
                                     optional_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const LayerNorm norm{.epsilon = l.attribute<double>("epsilon", 1e-5),
                         .begin_norm_axis = l.attribute<int>("begin_norm_axis", 2)};
    const ValueId sum = l.add(Add{}, {{l.input("X")}, {l.input("Y")}});
    l.bind("Out", l.add(norm, {{sum}, {l.input("Scale")}, {l.input("Bias")}}));
  }
  friend bool operator==(const SkipLayernorm&, const SkipLayernorm&) = default;
};

inline constexpr const OpSchema* skip_layernorm_op = &kOpSchema<SkipLayernorm>;

}  // namespace coracle::internal
