// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/matmul/matrix_product.h"
#include "ops/quantize/integer_product.h"

namespace coracle::internal {

/// linear of integers: x [..., k] times a matrix w ([k, n], or [n, k] if transpose_w). Where w is computed it may be
/// several matrices, of any int8 numbers; leading dimensions are broadcast.
struct IntegerLinear : IntegerProduct {
  static constexpr const char* kName = "integer_linear";
  static constexpr bool kQuantizes = true;
  static constexpr Port kInputs[] = {in("x", ""), weight_in("w", ""), list_in("tensors", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool transpose_w = false;
  void attributes(AttributeVisitor& visit) {
    visit("transpose_w", transpose_w);
    IntegerProduct::attributes(visit);
  }
  friend bool operator==(const IntegerLinear&, const IntegerLinear&) = default;
};

inline void infer(const IntegerLinear& op, InferArgs& a) {
  const Shape& w = a.shape(1);
  require(!w.rank_known() || w.rank() >= 2, "w has shape ", w, ", expected matrices");
  infer_integer_product(op, a, matrix_product_shape(a.shape(0), w, false, op.transpose_w), -1);
}

inline void reference(const IntegerLinear& op, ReferenceArgs& a) {
  Tensor sums = a.make(DType::kFloat64, matrix_product_shape(a.shape(0), a.shape(1), false, op.transpose_w));
  reference_matrix_product(a.context(), exact_integers(a.context(), a.in(0)), exact_integers(a.context(), a.in(1)),
                           false, op.transpose_w, 1.0, sums);
  reference_integer_product(op, a, sums, -1);
}

inline int64_t flops(const IntegerLinear& op, const NodeFacts& f) {
  const Shape& w = f.shape(1);
  return 2 * f.out().shape.count() * w[w.rank() - (op.transpose_w ? 1 : 2)];
}

inline constexpr const OpSchema* integer_linear_op = &kOpSchema<IntegerLinear>;

}  // namespace coracle::internal
