// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/strided_view.h"
#include "base/tensor.h"

namespace coracle::internal {

/// A way through memory: sizes and steps in elements, outermost first. Steps may be 0 (repeat) or negative.
struct ElementWalk {
  static constexpr int kMaxRank = 2 * Shape::kMaxRank;
  int rank = 0;
  int64_t size[kMaxRank] = {};
  int64_t step[kMaxRank] = {};
  int64_t start = 0;  ///< position of the first element

  void push_back(int64_t dim, int64_t by) {
    size[rank] = dim;
    step[rank++] = by;
  }
  int64_t count() const {
    if (std::find(size, size + rank, 0) != size + rank) return 0;
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= size[i];
    return n;
  }
};

/// x, of `rank` dimensions, without dimension `axis`.
inline StridedView without_dimension(StridedView x, int axis, int rank) {
  std::copy(x.step + axis + 1, x.step + rank, x.step + axis);
  return x;
}

/// All elements of a row-major tensor in order.
ElementWalk row_major(const Shape& shape);

/// The dimensions of `steps` in another order: dimension i of the result is dimension order[i].
ElementWalk permuted(const ElementWalk& steps, std::span<const int> order);

/// to[i-th of write] = from[i-th of read]; both walks have the same sizes. `element` is the size of one in bytes.
void copy_elements(const RunContext& context, const void* from, const ElementWalk& read, void* to,
                   const ElementWalk& write, size_t element);

/// Fills the row-major `to` with the elements of `from` met along `read`.
void gather_elements(const RunContext& context, const Tensor& from, const ElementWalk& read, Tensor& to);

/// to = from, element for element; both have the same type and count. Tensor arrays share their list.
void copy_tensor(const RunContext& context, const Tensor& from, Tensor& to);

/// True for NHWC, NDHWC, NLC: the shape itself has the channels last.
inline bool channels_are_last(const std::string& format) { return format.size() > 2 && format.back() == 'C'; }

}  // namespace coracle::internal
