// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/buffer.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// out = the slices index[i] of x along `axis`, in the order of `index`.
void gather_slices(const RunContext& context, const Tensor& x, const Tensor& index, int axis, Tensor& out);

/// The padding_idx of an embedding that has none.
inline constexpr int64_t kNoPadding = -1;

/// out = rows of `weight` (a matrix) by `ids`; rows of zeros for the id `padding`, whether in the table or not.
void embed(const RunContext& context, const Tensor& ids, const Tensor& weight, int64_t padding, Tensor& out);

/// Position in x of each row of `index` (its last dimension addresses leading dimensions of x), in elements.
Buffer<int64_t> row_positions(const RunContext& context, const Tensor& index, const Shape& x);

}  // namespace coracle::internal
