// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/rearranging.h"

namespace coracle::internal {

/// Windows over an image, as unfold and fold take them.
struct Patches {
  int64_t kernel[2] = {1, 1};  ///< height, width
  int64_t stride[2] = {1, 1};
  int64_t begin[2] = {0, 0};  ///< rows above, columns left of the image
  int64_t end[2] = {0, 0};    ///< rows below, columns right of the image
  int64_t dilation[2] = {1, 1};

  /// `paddings` has 2 (height, width) or 4 elements (top, left, bottom, right); the other lists 2 (or 1 for both).
  Patches(const Ints& kernel_sizes, const Ints& strides, const Ints& paddings, const Ints& dilations) {
    constexpr int64_t kLimit = int64_t{1} << 31;  // of products of two, and their sum with a dimension, none overflows
    const auto pair = [](const Ints& from, int64_t* to, const char* what) {
      require(from.size() == 2 || from.size() == 1, what, " has ", from.size(), " elements, expected 2");
      to[0] = from.front();
      to[1] = from.back();
      require(to[0] > 0 && to[1] > 0 && to[0] < kLimit && to[1] < kLimit, what, " is ", Shape(from),
              ", expected positive numbers of 31 bits");
    };
    pair(kernel_sizes, kernel, "kernel_sizes");
    pair(strides, stride, "strides");
    pair(dilations, dilation, "dilations");
    const size_t n = paddings.size();
    require(n == 1 || n == 2 || n == 4, "paddings has ", n, " elements, expected 2 or 4");
    for (size_t i = 0; i < 2; ++i) {
      begin[i] = n == 1 ? paddings[0] : paddings[i];
      end[i] = n == 4 ? paddings[i + 2] : begin[i];
      require(begin[i] >= 0 && end[i] >= 0 && begin[i] < kLimit && end[i] < kLimit, "paddings are ", Shape(paddings),
              ", expected numbers of 31 bits, none negative");
    }
  }

  /// Windows along axis i (0 height, 1 width) of an image of `size` there; unknown stays unknown.
  int64_t windows(int64_t size, int i) const {
    if (size < 0) return Shape::kUnknown;
    const int64_t free = size + begin[i] + end[i] - dilation[i] * (kernel[i] - 1) - 1;
    require(free >= 0, "a window of ", kernel[i], " does not fit an image of ", size);
    return free / stride[i] + 1;
  }
};

}  // namespace coracle::internal
