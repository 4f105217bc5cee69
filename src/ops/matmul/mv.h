// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/matmul/matrix_product.h"

namespace coracle::internal {

/// The product of a matrix and a vector.
struct Mv {
  static constexpr const char* kName = "mv";
  static constexpr const char* kLegacy[] = {"mv"};
  static constexpr Port kInputs[] = {in("x", "X"), in("vec", "Vec")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  friend bool operator==(const Mv&, const Mv&) = default;
};

inline void infer(const Mv&, InferArgs& a) {
  require(!a.shape(0).rank_known() || a.shape(0).rank() == 2, "x has shape ", a.shape(0), ", expected a matrix");
  require(!a.shape(1).rank_known() || a.shape(1).rank() == 1, "vec has shape ", a.shape(1), ", expected a vector");
  a.set(0, a.dtype(0), matrix_product_shape(a.shape(0), a.shape(1), false, false));
}

inline void reference(const Mv&, ReferenceArgs& a) {
  reference_matrix_product(a.context(), a.in(0), converted(a.context(), a.in(1), a.in(0).dtype()), false, false, 1.0,
                           a.out(0));
}

inline int64_t flops(const Mv&, const NodeFacts& f) { return matrix_product_flops(f.shape(0), false, f.out().shape); }

inline constexpr const OpSchema* mv_op = &kOpSchema<Mv>;

}  // namespace coracle::internal
