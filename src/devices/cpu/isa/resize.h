// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/over.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// Where the outputs along one axis come from: low[i] and, for bilinear, high[i] with weight[i] in [0, 1] for it.
struct ResizeAxis {
  const int32_t* low = nullptr;
  const int32_t* high = nullptr;
  const float* weight = nullptr;
};

/// One image [height, in_width, channels] to [.., out_width, channels]; for the plane functions channels is 1.
struct Resize {
  const float* x = nullptr;
  const float* add = nullptr;     ///< of y's shape, added to the result; null: nothing. May be y.
  const float* factor = nullptr;  ///< with `add`: one number per channel by which `add` is multiplied first; or null
  float* y = nullptr;
  size_t in_width = 0;
  size_t out_width = 0;
  size_t channels = 1;
  size_t y_stride = 1;  ///< floats from pixel to pixel of y; channels where y has its own memory
  ResizeAxis rows;
  ResizeAxis columns;
  const Deadline* deadline = nullptr;  ///< of the run; null: none
};

/// The output rows [begin, end).
struct ResizeFunctions {
  void (*nearest)(const Resize& p, size_t begin, size_t end);
  void (*bilinear)(const Resize& p, size_t begin, size_t end);
  /// One row-major plane, with vectors along the width.
  void (*nearest_plane)(const Resize& p, size_t begin, size_t end);
  void (*bilinear_plane)(const Resize& p, size_t begin, size_t end);
};

CORACLE_ISA_TABLES(ResizeFunctions, resize)

}  // namespace coracle::internal::cpu
