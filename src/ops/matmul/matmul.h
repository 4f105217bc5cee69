// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/common/binary.h"
#include "ops/matmul/matrix_product.h"

namespace coracle::internal {

/// out = x @ y with leading dimensions broadcast; vectors lose their added dimension again.
struct Matmul {
  static constexpr const char* kName = "matmul";
  static constexpr const char* kLegacy[] = {"matmul_v2"};
  static constexpr Port kInputs[] = {in("x", "X"), in("y", "Y")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  bool transpose_x = false;
  bool transpose_y = false;
  bool shares_lod = false;  ///< the result has the sequence offsets of x: in PIR and in the first `matmul` of Paddle
  void attributes(AttributeVisitor& visit) {
    visit("transpose_x", transpose_x, "trans_x");
    visit("transpose_y", transpose_y, "trans_y");
    visit("shares_lod", shares_lod);
  }
  LodRule lod() const { return shares_lod ? LodRule::kFirst : LodRule::kNone; }
  friend bool operator==(const Matmul&, const Matmul&) = default;
  static void lower(Lowering& l);
};

inline void infer(const Matmul& op, InferArgs& a) {
  a.set(0, promote(a.dtype(0), a.dtype(1)),
        matrix_product_shape(a.shape(0), a.shape(1), op.transpose_x, op.transpose_y));
}

inline void reference(const Matmul& op, ReferenceArgs& a) {
  const DType dtype = a.out(0).dtype();
  reference_matrix_product(a.context(), converted(a.context(), a.in(0), dtype), converted(a.context(), a.in(1), dtype),
                           op.transpose_x, op.transpose_y, 1.0, a.out(0));
}

inline int64_t flops(const Matmul& op, const NodeFacts& f) {
  return matrix_product_flops(f.shape(0), op.transpose_x, f.out().shape);
}

inline void Matmul::lower(Lowering& l) {
  auto op = l.read<Matmul>();
  op.shares_lod = l.is_pir();
  l.bind("Out", l.add(op, l.ports_of(kOpSchema<Matmul>)));
}

inline constexpr const OpSchema* matmul_op = &kOpSchema<Matmul>;

}  // namespace coracle::internal
