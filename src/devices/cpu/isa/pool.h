// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// Along one axis: the window of output i is the inputs [begin[i], end[i]), clipped to the image by the caller.
/// `divisor` is what the average counts on this axis (the clipped or the whole size); unused for the maximum.
struct PoolAxis {
  const int32_t* begin = nullptr;
  const int32_t* end = nullptr;
  const int32_t* divisor = nullptr;
};

/// One channels-last image: [height, in_width, channels] to [rows.., out_width, channels].
template <class T>
struct Pool {
  const T* x = nullptr;
  T* y = nullptr;
  size_t in_width = 0;
  size_t out_width = 0;
  size_t channels = 0;
  size_t y_stride = 0;  ///< elements from pixel to pixel of y
  PoolAxis rows;
  PoolAxis columns;
};

/// The output rows [begin, end). An empty window gives -FLT_MAX (-128 for int8), or 0 divided by the divisor. (The
/// average over a whole image is reduce.strided.)
struct PoolFunctions {
  void (*max)(const Pool<float>& p, size_t begin, size_t end);
  void (*average)(const Pool<float>& p, size_t begin, size_t end);
  void (*max_int8)(const Pool<int8_t>& p, size_t begin, size_t end);
};

CORACLE_ISA_TABLES(PoolFunctions, pool)

}  // namespace coracle::internal::cpu
