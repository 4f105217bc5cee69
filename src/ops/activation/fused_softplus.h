// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/activation/softplus.h"
#include "ops/common/activation_lowering.h"

namespace coracle::internal {

/// softplus of a program that was optimised before it was saved, then an activation.
struct FusedSoftplus {
  static constexpr const char* kName = "fused_softplus";
  static constexpr const char* kLegacy[] = {"fused_softplus"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const ValueId y = l.add(l.read<Softplus>(), {{l.input("X")}});
    l.bind("Out", add_activation(l, y, l.attribute<std::string>("fuse_activation"), l.attribute<double>("fuse_alpha"),
                                 l.attribute<double>("fuse_beta")));
  }
  friend bool operator==(const FusedSoftplus&, const FusedSoftplus&) = default;
};

inline constexpr const OpSchema* fused_softplus_op = &kOpSchema<FusedSoftplus>;

}  // namespace coracle::internal
