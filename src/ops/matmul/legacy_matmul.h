// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/elementwise/scale.h"
#include "ops/matmul/matmul.h"
#include "ops/movement/concat.h"
#include "ops/movement/split_with_num.h"

namespace coracle::internal {

/// The first `matmul` of Paddle: alpha * x @ y. Becomes matmul and, where alpha is not 1, scale. With `head_number`
/// heads the columns of x are as many stretches, each multiplied by its stretch of the rows of y (of the columns where
/// y has only as many rows as a stretch), and the products stand side by side.
struct LegacyMatmul {
  static constexpr const char* kName = "legacy_matmul";
  static constexpr const char* kLegacy[] = {"matmul"};
  friend bool operator==(const LegacyMatmul&, const LegacyMatmul&) = default;

  static void lower(Lowering& l) {
    const Matmul matmul{.transpose_x = l.attribute<bool>("transpose_X"),
                        .transpose_y = l.attribute<bool>("transpose_Y"),
                        .shares_lod = true};
    const auto heads = l.attribute<int64_t>("head_number", 1);
    ValueId out = heads > 1 ? product_of_heads(l, matmul, heads) : l.add(matmul, {{l.input("X")}, {l.input("Y")}});
    const double alpha = l.attribute<double>("alpha", 1.0);
    if (alpha != 1.0) out = l.add(Scale{}, {{out}, {l.constant(Tensor::scalar(static_cast<float>(alpha)))}});
    l.bind("Out", out);
  }

  static ValueId product_of_heads(Lowering& l, const Matmul& matmul, int64_t heads) {
    require(l.has("X") && l.has("Y"), "operands X and Y are needed");
    constexpr int64_t kMostHeads = 1024;
    require(heads <= kMostHeads, ErrorCode::kUnsupported, "head_number is ", heads, ", expected at most ", kMostHeads);
    const Shape x = l.fact(l.input("X")).shape;
    const Shape y = l.fact(l.input("Y")).shape;
    require(x.rank_known() && y.rank_known() && x.rank() >= 2 && y.rank() >= 2, ErrorCode::kUnsupported, "matmul of ",
            heads, " heads has operands ", x, " and ", y, ", expected matrices of known rank");
    const int columns = matmul.transpose_x ? -2 : -1;
    const int rows = matmul.transpose_y ? -1 : -2;
    const int64_t width = x[x.rank() + columns];
    const int64_t height = y[y.rank() + rows];
    const bool by_columns = width >= 0 && height >= 0 && height * heads == width;  // else the product checks the sizes
    const int of_y = by_columns ? (rows == -1 ? -2 : -1) : rows;
    const std::vector<ValueId> xs = parts(l, l.input("X"), columns, heads);
    const std::vector<ValueId> ys = parts(l, l.input("Y"), of_y, heads);
    std::vector<ValueId> products;
    for (size_t i = 0; i < xs.size(); ++i) products.push_back(l.add(matmul, {{xs[i]}, {ys[i]}}));
    return l.add(Concat{}, {products, {l.constant(Tensor::ints(Ints{-1}))}});
  }

  static std::vector<ValueId> parts(Lowering& l, ValueId x, int axis, int64_t count) {
    SplitWithNum split;
    split.num = static_cast<int>(count);
    const NodeId node = l.add_node(split, {{x}, {l.constant(Tensor::ints(Ints{axis}))}}, {static_cast<int>(count)});
    const std::span<const ValueId> outputs = l.graph().node(node).outputs;
    return {outputs.begin(), outputs.end()};
  }
};

inline constexpr const OpSchema* legacy_matmul_op = &kOpSchema<LegacyMatmul>;

}  // namespace coracle::internal
