// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/indices.h"
#include "ops/common/joining.h"

namespace coracle::internal {

/// The fact of a tensor array with elements of this type. Nothing is known of the shape while there may be none.
inline Fact array_fact(DType dtype, const Shape& shape = Shape::unknown_rank()) {
  Fact fact(dtype, shape);
  fact.is_array = true;
  return fact;
}

/// Error unless operand `port` is a tensor array, as far as is known.
inline void require_array(const InferArgs& a, int port) {
  require(a.in(port).is_array || !a.in(port).type_known(), "operand ", port, " is a tensor ", a.shape(port),
          ", expected a tensor array");
}

/// The position that operand `port` (one integer), called `operand`, names in an array of `size` elements.
inline size_t array_position(const ReferenceArgs& a, int port, const char* operand, size_t size) {
  require(a.in(port).count() == 1, ErrorCode::kRunFailure, "the position in a tensor array is a tensor ", a.shape(port),
          ", expected one element");
  return static_cast<size_t>(index_from_front(a.in(port).integer(0), static_cast<int64_t>(size), operand, 0));
}

/// Error where nothing has been written at that place.
inline const Tensor& written(const Tensor& element, size_t position) {
  require(!element.empty_handle(), ErrorCode::kRunFailure, "element ", position,
          " of a tensor array was never written");
  return element;
}

}  // namespace coracle::internal
