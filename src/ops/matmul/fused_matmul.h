// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/scale.h"
#include "ops/matmul/matmul.h"
#include "ops/movement/transpose.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {

/// matmul of a program that was optimised before it was saved: activation(alpha * x @ y + residual) *
/// fused_output_scale, where x and y may be reshaped and transposed before, and the result transposed and reshaped
/// after.
struct FusedMatmul {
  static constexpr const char* kName = "fused_matmul";
  static constexpr const char* kLegacy[] = {"fused_matmul"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y"), optional_in("residual_data", "ResidualData")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    for (const char* scale : {"Scale_x", "Scale_y", "Scale_in_eltwise", "Scale_out"}) {
      require(l.attribute<double>(scale, 1.0) == 1.0, ErrorCode::kUnsupported, scale, " is not supported");
    }
    const auto operand = [&](const char* slot, const char* shape, const char* order) {
      ValueId v = reshaped(l, l.input(slot), l.attribute<Ints>(shape));
      return transposed(l, v, l.attribute<Ints>(order));
    };
    Matmul product;
    // One made of the first matmul has its attributes as well.
    product.transpose_x = l.attribute<bool>("trans_x", l.attribute<bool>("transpose_X"));
    product.transpose_y = l.attribute<bool>("trans_y", l.attribute<bool>("transpose_Y"));
    ValueId y = l.add(product, {{operand("X", "fused_reshape_X", "fused_transpose_X")},
                                {operand("Y", "fused_reshape_Y", "fused_transpose_Y")}});
    y = scaled(l, y, l.attribute<double>("matmul_alpha", l.attribute<double>("alpha", 1.0)));
    if (l.has("ResidualData")) y = l.add(Add{}, {{y}, {l.input("ResidualData")}});
    y = add_activation(l, y, l.attribute<std::string>("fuse_activation"), l.attribute<double>("fuse_alpha"),
                       l.attribute<double>("fuse_beta"));
    y = scaled(l, y, l.attribute<double>("fused_output_scale", 1.0));
    y = transposed(l, y, l.attribute<Ints>("fused_transpose_Out"));
    l.bind("Out", reshaped(l, y, l.attribute<Ints>("fused_reshape_Out")));
  }

 private:
  static ValueId reshaped(Lowering& l, ValueId x, const Ints& shape) {
    return shape.empty() ? x : l.add(Reshape{}, {{x}, {l.constant(Tensor::ints(shape))}});
  }
  static ValueId transposed(Lowering& l, ValueId x, const Ints& order) {
    return order.empty() ? x : l.add(Transpose{order}, {{x}});
  }
  static ValueId scaled(Lowering& l, ValueId x, double by) {
    return by == 1.0 ? x : l.add(Scale{}, {{x}, {l.constant(Tensor::scalar(static_cast<float>(by)))}});
  }

 public:
  friend bool operator==(const FusedMatmul&, const FusedMatmul&) = default;
};

inline constexpr const OpSchema* fused_matmul_op = &kOpSchema<FusedMatmul>;

}  // namespace coracle::internal
