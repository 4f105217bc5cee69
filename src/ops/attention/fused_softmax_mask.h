// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/softmax.h"
#include "ops/elementwise/add.h"

namespace coracle::internal {

/// softmax(x + mask) over the last dimension.
struct FusedSoftmaxMask {
  static constexpr const char* kName = "fused_softmax_mask";
  static constexpr const char* kLegacy[] = {"fused_softmax_mask"};
  static constexpr Port kInputs[] = {in("x", "X"), in("mask", "Mask")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    l.bind("Out", l.add(Softmax{}, {{l.add(Add{}, {{l.input("X")}, {l.input("Mask")}})}}));
  }
  friend bool operator==(const FusedSoftmaxMask&, const FusedSoftmaxMask&) = default;
};

inline constexpr const OpSchema* fused_softmax_mask_op = &kOpSchema<FusedSoftmaxMask>;

}  // namespace coracle::internal
