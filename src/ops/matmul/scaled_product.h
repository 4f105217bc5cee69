// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/convert.h"
#include "ops/common/binary.h"
#include "ops/matmul/matrix_product.h"

/// out = beta * input + alpha * x @ y, where input broadcasts: addmm and baddbmm.
namespace coracle::internal {

inline constexpr Port kScaledProductInputs[] = {in("input", "Input"), in("x", "X"), in("y", "Y")};
inline constexpr Port kScaledProductOutputs[] = {out("out", "Out")};

/// x and y have `rank` dimensions.
inline void infer_scaled_product(InferArgs& a, int rank) {
  for (int port : {1, 2}) {
    require(!a.shape(port).rank_known() || a.shape(port).rank() == rank, "operand ", port, " has shape ", a.shape(port),
            ", expected ", rank, " dimensions");
  }
  const Shape product = matrix_product_shape(a.shape(1), a.shape(2), false, false);
  const Shape y = broadcast(a.shape(0), product);
  require(compatible(y, product), "input ", a.shape(0), " does not fit the product ", product);
  a.set(0, a.dtype(0), y);
}

inline void reference_scaled_product(double beta, double alpha, ReferenceArgs& a) {
  Tensor& y = a.out(0);
  Tensor product = a.make(y.dtype(), y.shape());
  reference_matrix_product(a.context(), converted(a.context(), a.in(1), y.dtype()),
                           converted(a.context(), a.in(2), y.dtype()), false, false, alpha, product);
  visit_real(y.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const T* input = a.in(0).data<T>();
    const T* from = product.data<T>();
    BroadcastWalk(y.shape(), a.shape(0), y.shape()).each(a.context(), [&](int64_t i, int64_t at, int64_t) {
      y.data<T>()[i] = convert<T>(beta * static_cast<double>(input[at]) + static_cast<double>(from[i]));
    });
  });
}

}  // namespace coracle::internal
