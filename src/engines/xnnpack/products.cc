// SPDX-License-Identifier: Apache-2.0
#include "converters.h"

namespace coracle_xnnpack {
namespace {

/// The row-major x [..., k] times a matrix, [n, k] if `transposed`, else [k, n]: row-major.
ValueNumber product(Builder& b, const Node& node, ValueNumber x, int32_t matrix, bool transposed, const float* bias) {
  const Dims w = node.dims(matrix);
  Dims out = b.dims(x);
  require(out.back() == w[transposed ? 1 : 0], "the matrix does not fit x");
  out.back() = w[transposed ? 0 : 1];
  const ValueNumber y = b.make(out, /*rows=*/true);
  Packed packed;
  packed.kind = Packed::Kind::kProduct;
  packed.filter = b.kept(node, matrix);
  packed.bias = bias;
  packed.inputs = static_cast<size_t>(w[transposed ? 1 : 0]);
  packed.outputs = static_cast<size_t>(out.back());
  packed.flags = transposed ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS;
  Recipe recipe = recipe_of(packed, node.is_constant(matrix));
  recipe.set_up = [rows = static_cast<size_t>(count_of(b.dims(x))) / packed.inputs](xnn_operator_t op, float* const* m,
                                                                                    pthreadpool_t threads) {
    return xnn_setup_fully_connected_nc_f32(op, rows, m[0], m[1], threads);
  };
  b.define({x}, y, std::move(recipe));
  return y;
}

void check_linear(const Node& node) {
  require(node.rank(node.in("x")) >= 1, "x is a scalar");
  check_epilogue(node);
}

void build_linear(Builder& b, const Node& node) {
  const int32_t w = node.in("w");
  const bool transposed = node.flag("transpose_w");
  size_t first = 0;
  const float* bias = bias_of(node, first);
  const ValueNumber y = product(b, node, b.rows(b.operand(node, "x")), w, transposed, bias);
  b.set_result(node, apply_epilogue(b, node, b.image(y), first, 0));
}

void check_matmul(const Node& node) {
  require(node.rank(node.in("x")) >= 2 && !node.flag("transpose_x"), "x is transposed or a vector");
  require(node.rank(node.in("y")) == 2, "y is not a matrix");
}

void build_matmul(Builder& b, const Node& node) {
  const ValueNumber x = b.rows(b.operand(node, "x"));
  b.set_result(node, b.image(product(b, node, x, node.in("y"), node.flag("transpose_y"), nullptr)));
}

void check_flattened(const Node& node) {
  require(node.rank(node.in("y")) == 2 && node.integer("y_num_col_dims", 1) == 1, "y is not a matrix");
  require(node.integer("x_num_col_dims", 1) > 0, "x has no rows");
}

void build_flattened(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  Dims matrix{1, 1};
  for (size_t d = 0; d < b.dims(x).size(); ++d) {
    matrix[static_cast<int64_t>(d) < node.integer("x_num_col_dims", 1) ? 0 : 1] *= b.dims(x)[d];
  }
  const ValueNumber y = product(b, node, b.reshape(x, matrix), node.in("y"), /*transposed=*/false, nullptr);
  b.set_result(node, b.reshape(y, node.dims(node.out())));
}

constexpr Converter kProductConverters[] = {
    {"linear", "x tensors", "w", "", "", check_linear, build_linear},
    {"matmul", "x", "y", "", "", check_matmul, build_matmul},
    {"matmul_with_flatten", "x", "y", "", "", check_flattened, build_flattened},
};

}  // namespace

std::span<const Converter> product_converters() { return kProductConverters; }

}  // namespace coracle_xnnpack
