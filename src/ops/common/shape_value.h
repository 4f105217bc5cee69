// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle {

inline void write_shape(const Shape& shape, Tensor& to) {
  for (int i = 0; i < shape.rank(); ++i) {
    if (to.dtype() == DType::kInt32) {
      to.data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
    } else {
      to.data<int64_t>()[i] = shape[i];
    }
  }
}

/// Result 0 of an operator that gives its operand's dimensions: known as soon as they are.
inline void infer_shape_value(InferArgs& a, DType dtype) {
  const Shape& x = a.shape(0);
  a.set(0, dtype, x.rank_known() ? Shape{x.rank()} : Shape{Shape::kUnknown});
  if (!x.known()) return;
  Tensor t = Tensor::make(dtype, Shape{x.rank()});
  write_shape(x, t);
  a.out(0).value = std::make_shared<const Tensor>(std::move(t));
}

}  // namespace coracle
