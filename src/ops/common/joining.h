// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// Sizes before, at and behind an axis: the elements of a tensor as [outer, dim, inner].
struct Around {
  int64_t outer = 1;
  int64_t dim = 1;
  int64_t inner = 1;
  Around(const Shape& x, int axis) : outer(x.count(0, axis)), dim(x[axis]), inner(x.count(axis + 1, x.rank())) {}
};

/// Rows of `part_row` elements to or from `whole`, whose rows have `whole_row` elements, from element `begin` on.
void copy_rows_in(const RunContext& context, const Tensor& part, Tensor& whole, int64_t rows, int64_t part_row,
                  int64_t whole_row, int64_t begin);
void copy_rows_out(const RunContext& context, const Tensor& whole, Tensor& part, int64_t rows, int64_t part_row,
                   int64_t whole_row, int64_t begin);

/// Joins `parts` on `axis` (all dimensions but that one are equal). A scalar counts as one element.
void join_tensors(const RunContext& context, std::span<const Tensor* const> parts, int axis, Tensor& whole);

/// The results are the slices of operand 0 along `axis`, without that dimension (unstack, unbind).
void infer_slices(InferArgs& a, int axis);
void reference_slices(ReferenceArgs& a, int axis);

/// How part `result` of operand 0, cut along the axis that `axis` has, lies in the memory of that.
std::optional<StridedView> view_of_section(const NodeFacts& f, const StridedView& x, const Tensor* axis, int result);

/// The type of the operands on a list port, which must agree.
DType common_dtype(const InferArgs& a, int port);

/// What is known of the common shape of two values that must be equal in shape.
Shape met(const Shape& a, const Shape& b);

}  // namespace coracle::internal
