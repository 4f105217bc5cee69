// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/tensor.h"

namespace coracle::internal {

/// Shape of x @ y by NumPy's rule (vectors are a row on the left, a column on the right and lose that dimension again).
/// Throws Error where the shapes do not fit.
Shape matrix_product_shape(const Shape& x, const Shape& y, bool transpose_x, bool transpose_y);

/// Of a product whose result has the shape `out`.
int64_t matrix_product_flops(const Shape& x, bool transpose_x, const Shape& out);

/// out = alpha * x @ y with leading dimensions broadcast; sums in double. All three of one type.
void reference_matrix_product(const RunContext& context, const Tensor& x, const Tensor& y, bool transpose_x,
                              bool transpose_y, double alpha, Tensor& out);

}  // namespace coracle::internal
