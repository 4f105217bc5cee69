// SPDX-License-Identifier: Apache-2.0
#include "ops/index/gathering.h"

#include <cstring>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/common/indices.h"

namespace coracle::internal {

void gather_slices(const RunContext& context, const Tensor& x, const Tensor& index, int axis, Tensor& out) {
  const Around around(x.shape(), axis);
  const size_t bytes = static_cast<size_t>(around.inner) * size_of(x.dtype());
  Buffer<int64_t> at = integers_of(context, index);
  LoopCheck check(context);
  for (size_t i = 0; i < at.size(); ++i) {
    check.step();
    at[i] = index_from_front(at[i], around.dim, "Index", static_cast<int64_t>(i));
  }
  char* to = out.data<char>();
  for (int64_t o = 0; o < around.outer; ++o) {
    const char* from = x.data<char>() + static_cast<size_t>(o * around.dim) * bytes;
    for (int64_t i : at) {
      copy_piece(to, from + static_cast<size_t>(i) * bytes, bytes, check);
      to += bytes;
    }
  }
}

void embed(const RunContext& context, const Tensor& ids, const Tensor& weight, int64_t padding, Tensor& out) {
  const int64_t rows = weight.shape()[0];
  const size_t bytes = static_cast<size_t>(weight.shape()[1]) * size_of(weight.dtype());
  char* to = out.data<char>();
  LoopCheck check(context);
  for (int64_t i = 0, n = ids.count(); i < n; ++i, to += bytes) {
    check.step();
    const int64_t id = ids.integer(i);
    if (padding != kNoPadding && id == padding) {
      if (bytes != 0) std::memset(to, 0, bytes);
      continue;
    }
    const auto row = static_cast<size_t>(checked_index(id, rows, "Ids", i));
    copy_piece(to, weight.data<char>() + row * bytes, bytes, check);
  }
}

Buffer<int64_t> row_positions(const RunContext& context, const Tensor& index, const Shape& x) {
  const int64_t depth = index.shape().is_scalar() ? 1 : index.shape().back();
  const int64_t rows = index.shape().is_scalar() ? 1 : index.shape().count(0, index.shape().rank() - 1);
  const ElementWalk steps = row_major(x);
  Buffer<int64_t> positions(static_cast<size_t>(rows), 0, context);
  LoopCheck check(context);
  for (int64_t r = 0; r < rows; ++r) {
    check.step(depth);
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t element = r * depth + d;
      const int64_t i = index_from_front(index.integer(element), steps.size[d], "Index", element);
      positions[static_cast<size_t>(r)] += i * steps.step[d];
    }
  }
  return positions;
}

}  // namespace coracle::internal
