// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/square.h"
#include "ops/elementwise/scale.h"
#include "ops/elementwise/subtract.h"
#include "ops/matmul/matmul.h"

namespace coracle::internal {

/// ((x @ y)^2 - x^2 @ y^2) * scalar of a program that was optimised before it was saved.
struct FusionSquaredMatSub {
  static constexpr const char* kName = "fusion_squared_mat_sub";
  static constexpr const char* kLegacy[] = {"fusion_squared_mat_sub"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {optional_out("squared_x", "SquaredX"), optional_out("squared_y", "SquaredY"),
                                      optional_out("squared_xy", "SquaredXY"), out("out", "Out")};
  static void lower(Lowering& l) {
    const ValueId x = l.add(Square{}, {{l.input("X")}});
    const ValueId y = l.add(Square{}, {{l.input("Y")}});
    const ValueId xy = l.add(Square{}, {{l.add(Matmul{}, {{l.input("X")}, {l.input("Y")}})}});
    const ValueId difference = l.add(Subtract{}, {{xy}, {l.add(Matmul{}, {{x}, {y}})}});
    const auto scalar = static_cast<float>(l.attribute<double>("scalar", 1.0));
    l.bind("SquaredX", x);
    l.bind("SquaredY", y);
    l.bind("SquaredXY", xy);
    l.bind("Out", l.add(Scale{}, {{difference}, {l.constant(Tensor::scalar(scalar))}}));
  }
  friend bool operator==(const FusionSquaredMatSub&, const FusionSquaredMatSub&) = default;
};

inline constexpr const OpSchema* fusion_squared_mat_sub_op = &kOpSchema<FusionSquaredMatSub>;

}  // namespace coracle::internal
