// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// Writes x's elements to `out`, whose type is `dtype`, as the operator cast does.
void cast(const RunContext& context, const Tensor& x, DType dtype, Tensor& out);

}  // namespace coracle::internal
