// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/add.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/movement/slice.h"

namespace coracle::internal {

/// A fully connected layer of an optimised program: x @ w + bias, then an activation.
struct Fc {
  static constexpr const char* kName = "fc";
  static constexpr const char* kLegacy[] = {"fc"};
  static constexpr Port kInputs[] = {in("input", "Input"), weight_in("w", "W"), optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const Fc&, const Fc&) = default;
  static void lower(Lowering& l) {
    MatmulWithFlatten product;
    product.x_num_col_dims = l.attribute<int64_t>("in_num_col_dims", 1);
    product.y_num_col_dims = 1;
    const ValueId w = l.attribute<bool>("padding_weights") ? without_padding(l, l.input("W")) : l.input("W");
    ValueId y = l.add(product, {{l.input("Input")}, {w}});
    if (l.has("Bias")) y = l.add(Add{}, {{y}, {l.input("Bias")}});
    l.bind("Out", add_activation(l, y, l.attribute<std::string>("activation_type"), 0.0, 0.0));
  }

 private:
  /// Weights are padded by four rows and four columns where their rows would share lines of the cache.
  static ValueId without_padding(Lowering& l, ValueId w) {
    const auto both = [&](int64_t n) { return l.constant(Tensor::ints(Ints{n, n})); };
    return l.add(Slice{.axes = {0, 1}, .infer_flags = {}, .decrease_axis = {}}, {{w}, {both(0)}, {both(-4)}});
  }
};

inline constexpr const OpSchema* fc_op = &kOpSchema<Fc>;

}  // namespace coracle::internal
