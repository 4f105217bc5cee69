// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "converters.h"

namespace coracle_xnnpack {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// The row-major x [..., k] times a matrix, [n, k] if `transposed`, else [k, n]: row-major.
ValueNumber product(Builder& b, const Node& node, ValueNumber x, int32_t matrix, bool transposed, ValueNumber bias) {
  const Dims w = node.dims(matrix);
  Dims out = b.dims(x);
  require(out.back() == w[transposed ? 1 : 0], "the matrix does not fit x");
  out.back() = w[transposed ? 0 : 1];
  const float* elements = node.floats(matrix);
  const ValueNumber weights = node.is_constant(matrix)
                                  ? b.weights_in_place(w, elements)
                                  : b.weights(w, std::vector<float>(elements, elements + count_of(w)));
  const ValueNumber y = b.make(out, /*rows=*/true);
  const uint32_t flags = transposed ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS;
  b.define({x, weights, bias}, y, [flags](xnn_subgraph_t g, const uint32_t* ids) {
    return xnn_define_fully_connected(g, -kInfinity, kInfinity, ids[0], ids[1], ids[2], ids[3], flags);
  });
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
  const float* elements = bias_of(node, first);
  const ValueNumber bias =
      elements == nullptr ? kNoValue : b.weights_in_place({node.dims(w)[transposed ? 0 : 1]}, elements);
  const ValueNumber y = product(b, node, b.rows(b.operand(node, "x")), w, transposed, bias);
  b.set_result(node, apply_epilogue(b, node, b.image(y), first, 0));
}

void check_matmul(const Node& node) {
  require(node.rank(node.in("x")) >= 2 && !node.flag("transpose_x"), "x is transposed or a vector");
  require(node.rank(node.in("y")) == 2, "y is no matrix");
}

void build_matmul(Builder& b, const Node& node) {
  const ValueNumber x = b.rows(b.operand(node, "x"));
  b.set_result(node, b.image(product(b, node, x, node.in("y"), node.flag("transpose_y"), kNoValue)));
}

void check_flattened(const Node& node) {
  require(node.rank(node.in("y")) == 2 && node.integer("y_num_col_dims", 1) == 1, "y is no matrix");
  require(node.integer("x_num_col_dims", 1) > 0, "x has no rows");
}

void build_flattened(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  Dims matrix{1, 1};
  for (size_t d = 0; d < b.dims(x).size(); ++d) {
    matrix[static_cast<int64_t>(d) < node.integer("x_num_col_dims", 1) ? 0 : 1] *= b.dims(x)[d];
  }
  const ValueNumber y = product(b, node, b.reshape(x, matrix), node.in("y"), /*transposed=*/false, kNoValue);
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
