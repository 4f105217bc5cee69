// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/attention/attention.h"
#include "ops/elementwise/add.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/movement/transpose.h"
#include "ops/movement/unbind.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {

/// Attention(q, k, v) for packed projections [B, S, 3, heads, depth], as [B, S, heads, depth].
inline ValueId add_packed_attention(Lowering& l, ValueId packed, const std::vector<ValueId>& mask, double scale) {
  Transpose by_part;
  by_part.perm = {2, 0, 3, 1, 4};
  Unbind unbind;
  unbind.axis = 0;
  const NodeId parts = l.add_node(unbind, {{l.add(by_part, {{packed}})}}, {3});
  const auto part = [&](int i) { return l.graph().node(parts).output(0, i); };
  const ValueId mixed = l.add(Attention{.scale = scale}, {{part(0)}, {part(1)}, {part(2)}, mask});
  Transpose by_step;
  by_step.perm = {0, 2, 1, 3};
  return l.add(by_step, {{mixed}});
}

/// Self-attention with its three projections: input [B, S, D], w [D, 3, ...], bias [3, ...]; bias_qk is the mask. Of a
/// program that was optimised before it was saved.
struct MultiheadMatmul {
  static constexpr const char* kName = "multihead_matmul";
  static constexpr const char* kLegacy[] = {"multihead_matmul"};
  static constexpr Port kInputs[] = {in("input", "Input"), weight_in("w", "W"), weight_in("bias", "Bias"),
                                     optional_in("bias_qk", "BiasQK")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const auto reshaped = [&](ValueId x, Ints shape) {
      return l.add(Reshape{}, {{x}, {l.constant(Tensor::ints(shape))}});
    };
    MatmulWithFlatten product;
    product.x_num_col_dims = 2;
    const ValueId projected = l.add(product, {{l.input("Input")}, {reshaped(l.input("W"), {0, -1})}});
    const ValueId biased = l.add(Add{}, {{projected}, {reshaped(l.input("Bias"), {-1})}});
    const auto heads = l.attribute<int64_t>("head_number", 1);
    std::vector<ValueId> mask;
    if (l.has("BiasQK")) mask.push_back(l.input("BiasQK"));
    const ValueId mixed =
        add_packed_attention(l, reshaped(biased, {0, 0, 3, heads, -1}), mask, l.attribute<double>("alpha", 1.0));
    l.bind("Out", reshaped(mixed, {0, 0, -1}));
  }
  friend bool operator==(const MultiheadMatmul&, const MultiheadMatmul&) = default;
};

inline constexpr const OpSchema* multihead_matmul_op = &kOpSchema<MultiheadMatmul>;

}  // namespace coracle::internal
