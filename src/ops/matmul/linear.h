// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/common/epilogue.h"
#include "ops/matmul/matrix_product.h"

namespace coracle::internal {

/// x [..., k] times a constant matrix w ([k, n], or [n, k] if transpose_w), and what is done to the result right away;
/// its last dimension counts as the channels. Made by rewrites.
struct Linear : Epilogue {
  static constexpr const char* kName = "linear";
  static constexpr const char* kFusedOf[] = {"matmul", "legacy_matmul", "matmul_with_flatten", "fc"};
  static constexpr Port kInputs[] = {in("x", ""), weight_in("w", ""), list_in("tensors", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  static constexpr LodRule kLod = LodRule::kFirst;
  bool transpose_w = false;
  void attributes(AttributeVisitor& visit) {
    visit("transpose_w", transpose_w);
    Epilogue::attributes(visit);
  }
  friend bool operator==(const Linear&, const Linear&) = default;
};

inline void infer(const Linear& op, InferArgs& a) {
  const Shape& w = a.shape(1);
  require(w.rank_known() && w.rank() == 2, "w has shape ", w, ", expected a matrix");
  Shape y = a.shape(0);
  if (y.rank_known()) {
    require(y.rank() >= 1, "x is a scalar, expected at least one dimension");
    const int64_t k = w[op.transpose_w ? 1 : 0];
    require(y.back() < 0 || k < 0 || y.back() == k, "x ", y, " does not fit w ", w);
    y[y.rank() - 1] = w[op.transpose_w ? 0 : 1];
  }
  a.set(0, promote(a.dtype(0), a.dtype(1)), y);
  infer_epilogue(op, a, 2, -1);
}

inline void reference(const Linear& op, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  Tensor product = a.make(dtype, matrix_product_shape(a.shape(0), a.shape(1), false, op.transpose_w));
  reference_matrix_product(a.context(), converted(a.context(), a.in(0), dtype), converted(a.context(), a.in(1), dtype),
                           false, op.transpose_w, 1.0, product);
  reference_epilogue(op, a, product, 2, -1);
}

inline int64_t flops(const Linear& op, const NodeFacts& f) {
  return 2 * f.out().shape.count() * f.shape(1)[op.transpose_w ? 1 : 0];
}

inline constexpr const OpSchema* linear_op = &kOpSchema<Linear>;

}  // namespace coracle::internal
