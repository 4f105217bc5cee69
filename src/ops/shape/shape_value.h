// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

inline void write_shape(const Shape& shape, Tensor& to) { to.assign(shape.dims()); }

/// Result 0 of an operator that gives its operand's dimensions: known as soon as they are.
inline void infer_shape_value(InferArgs& a, DType dtype) {
  require(!a.in(0).is_array, "the operand is a tensor array, expected a tensor");
  require(dtype == DType::kInt32 || dtype == DType::kInt64, "dtype is ", dtype, ", expected int32 or int64");
  const Shape& x = a.shape(0);
  a.set(0, dtype, x.rank_known() ? Shape{x.rank()} : Shape{Shape::kUnknown});
  if (!x.known()) return;
  Tensor t = Tensor::make(a.context(), dtype, Shape{x.rank()});
  write_shape(x, t);
  a.out(0).value = std::make_shared<const Tensor>(std::move(t));
}

}  // namespace coracle::internal
