// SPDX-License-Identifier: Apache-2.0
#include "ops/common/joining.h"

#include "base/counted.h"
#include "base/long_loop.h"

namespace coracle::internal {

void copy_rows_in(const RunContext& context, const Tensor& part, Tensor& whole, int64_t rows, int64_t part_row,
                  int64_t whole_row, int64_t begin) {
  const size_t element = size_of(part.dtype());
  if (part_row == 0) return;
  LoopCheck check(context);
  for (int64_t r = 0; r < rows; ++r) {
    copy_piece(whole.data<char>() + static_cast<size_t>(r * whole_row + begin) * element,
               part.data<char>() + static_cast<size_t>(r * part_row) * element, static_cast<size_t>(part_row) * element,
               check);
  }
}

void copy_rows_out(const RunContext& context, const Tensor& whole, Tensor& part, int64_t rows, int64_t part_row,
                   int64_t whole_row, int64_t begin) {
  const size_t element = size_of(whole.dtype());
  if (part_row == 0) return;
  LoopCheck check(context);
  for (int64_t r = 0; r < rows; ++r) {
    copy_piece(part.data<char>() + static_cast<size_t>(r * part_row) * element,
               whole.data<char>() + static_cast<size_t>(r * whole_row + begin) * element,
               static_cast<size_t>(part_row) * element, check);
  }
}

void join_tensors(const RunContext& context, std::span<const Tensor* const> parts, int axis, Tensor& whole) {
  const Around all(whole.shape(), axis);
  int64_t begin = 0;
  for (const Tensor* part : parts) {
    const int64_t row = (part->shape().is_scalar() ? 1 : part->shape()[axis]) * all.inner;
    copy_rows_in(context, *part, whole, all.outer, row, all.dim * all.inner, begin);
    begin += row;
  }
}

void infer_slices(InferArgs& a, int axis) {
  Shape y = a.shape(0);
  if (y.rank_known()) {
    axis = normalize_axis(axis, y.rank());
    require(y[axis] < 0 || y[axis] == a.out_count(0), "axis ", axis, " of ", y, " has not ",
            counted(a.out_count(0), "element"), ", one for each result");
    y.erase(axis);
  }
  for (int i = 0; i < a.out_count(0); ++i) a.set(0, a.dtype(0), y, i);
}

void reference_slices(ReferenceArgs& a, int axis) {
  const Around x(a.shape(0), normalize_axis(axis, a.shape(0).rank()));
  for (int i = 0; i < a.out_count(0); ++i) {
    copy_rows_out(a.context(), a.in(0), a.out(0, i), x.outer, x.inner, x.dim * x.inner, i * x.inner);
  }
}

DType common_dtype(const InferArgs& a, int port) {
  require(a.count(port) > 0, "a list of no tensors");
  for (int i = 1; i < a.count(port); ++i) {
    require(a.dtype(port, i) == a.dtype(port, 0), "tensors of types ", a.dtype(port, 0), " and ", a.dtype(port, i),
            " in one list");
  }
  return a.dtype(port, 0);
}

Shape met(const Shape& a, const Shape& b) {
  if (!a.rank_known()) return b;
  if (!b.rank_known()) return a;
  require(compatible(a, b), "shapes ", a, " and ", b, " differ, expected equal");
  Shape out = a;
  for (int i = 0; i < out.rank(); ++i) {
    if (out[i] < 0) out[i] = b[i];
  }
  return out;
}

std::optional<StridedView> view_of_section(const NodeFacts& f, const StridedView& x, const Tensor* axis, int result) {
  if (axis == nullptr) return std::nullopt;
  const int at = normalize_axis(axis->integer(0), f.shape(0).rank());
  StridedView y = x;
  for (int i = 0; i < result; ++i) y.start += f.out(0, i).shape[at] * x.step[at];
  return y;
}

}  // namespace coracle::internal
