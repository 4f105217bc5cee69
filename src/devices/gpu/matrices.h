// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/shape.h"
#include "devices/gpu/product.h"

namespace coracle::internal::gpu {

/// A product of tensors by NumPy's rule, each with its last two dimensions in the other order where it is transposed.
Matrices matrices_of(const Shape& x, const Shape& y, bool transpose_x, bool transpose_y);

}  // namespace coracle::internal::gpu
