// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/matmul/matrix_product.h"

namespace coracle::internal {

/// Products of matrices pair by pair: [b, m, k] by [b, k, n].
struct Bmm : BinaryOperator {
  static constexpr const char* kName = "bmm";
  static constexpr const char* kLegacy[] = {"bmm"};
  friend bool operator==(const Bmm&, const Bmm&) = default;
};

inline void infer(const Bmm&, InferArgs& a) {
  for (int port : {0, 1}) {
    require(!a.shape(port).rank_known() || a.shape(port).rank() == 3, "operand ", port, " has shape ", a.shape(port),
            ", expected 3 dimensions");
  }
  a.set(0, a.dtype(0), matrix_product_shape(a.shape(0), a.shape(1), false, false));
}

inline void reference(const Bmm&, ReferenceArgs& a) {
  reference_matrix_product(a.context(), a.in(0), converted(a.context(), a.in(1), a.in(0).dtype()), false, false, 1.0,
                           a.out(0));
}

inline int64_t flops(const Bmm&, const NodeFacts& f) { return matrix_product_flops(f.shape(0), false, f.out().shape); }

inline constexpr const OpSchema* bmm_op = &kOpSchema<Bmm>;

}  // namespace coracle::internal
