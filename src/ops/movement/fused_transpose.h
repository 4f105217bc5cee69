// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/movement/transpose.h"
#include "ops/shape/reshape.h"
#include "ops/shape/squeeze.h"
#include "ops/shape/unsqueeze.h"

namespace coracle::internal {

/// transpose of a program that was optimised before it was saved, with a squeeze before it and an unsqueeze or a
/// reshape after it.
struct FusedTranspose {
  static constexpr const char* kName = "fused_transpose";
  static constexpr const char* kLegacy[] = {"fused_transpose"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    require(l.attribute<double>("scale", 1.0) == 1.0 && l.attribute<double>("shift", 0.0) == 0.0,
            ErrorCode::kUnsupported, "a quantised result is not supported");
    ValueId y = l.input("X");
    const auto list = [&](const char* name) { return l.attribute<Ints>(name); };
    const auto constant = [&](const Ints& values) { return l.constant(Tensor::ints(values)); };
    if (const Ints axes = list("fused_squeeze2_axes"); !axes.empty()) y = l.add(Squeeze{}, {{y}, {constant(axes)}});
    y = l.add(Transpose{list("axis")}, {{y}});
    if (const Ints axes = list("fused_unsqueeze2_axes"); !axes.empty()) y = l.add(Unsqueeze{}, {{y}, {constant(axes)}});
    if (const Ints shape = list("fused_reshape2_shape"); !shape.empty()) y = l.add(Reshape{}, {{y}, {constant(shape)}});
    l.bind("Out", y);
  }
  friend bool operator==(const FusedTranspose&, const FusedTranspose&) = default;
};

inline constexpr const OpSchema* fused_transpose_op = &kOpSchema<FusedTranspose>;

}  // namespace coracle::internal
