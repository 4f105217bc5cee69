// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/add.h"
#include "ops/matmul/matmul.h"

namespace coracle::internal {

/// x @ y + bias, then an activation.
struct FusedGemmEpilogue {
  static constexpr const char* kName = "fused_gemm_epilogue";
  static constexpr const char* kLegacy[] = {"fused_gemm_epilogue"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("reserve_space", "ReserveSpace")};
  friend bool operator==(const FusedGemmEpilogue&, const FusedGemmEpilogue&) = default;
  static void lower(Lowering& l) {
    Matmul product;
    product.transpose_x = l.attribute<bool>("trans_x");
    product.transpose_y = l.attribute<bool>("trans_y");
    const ValueId y = l.add(Add{}, {{l.add(product, {{l.input("X")}, {l.input("Y")}})}, {l.input("Bias")}});
    const auto activation = l.attribute<std::string>("activation");
    l.bind("Out", add_activation(l, y, activation == "none" ? "" : activation, 0.0, 0.0));
  }
};

inline constexpr const OpSchema* fused_gemm_epilogue_op = &kOpSchema<FusedGemmEpilogue>;

}  // namespace coracle::internal
