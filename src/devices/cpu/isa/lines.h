// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// Pixels of a channels-last image, weighted: what interpolation and sampling are made of.
struct WeightedLines {
  const float* x = nullptr;
  const int64_t* offsets = nullptr;  ///< floats from x to each pixel
  const float* weights = nullptr;
  size_t count = 0;
  float* y = nullptr;
  size_t channels = 0;
  bool adds = false;  ///< to what y holds
};

/// A box of pixels of a channels-last volume.
struct PixelBox {
  const float* x = nullptr;                  ///< its first pixel; pixels of a row are adjacent
  int64_t plane_stride = 0, row_stride = 0;  ///< floats
  int64_t planes = 1, rows = 0, columns = 0;
  float* y = nullptr;
  size_t channels = 0;
  int32_t* places = nullptr;                                  ///< by channel; or null
  int32_t first_place = 0, plane_places = 0, row_places = 0;  ///< of the first pixel, from plane to plane, row to row
  bool begins = false;  ///< `largest` begins with the first pixel instead of -FLT_MAX
};

struct LinesFunctions {
  /// y[c] = sum over i < count of weights[i] * x[offsets[i] + c], one after the other.
  void (*sum)(const WeightedLines& p);
  /// The same with a weight for each channel: those of pixel i from weights[elements[i] * channels] on.
  void (*sum_channelwise)(const WeightedLines& p, const int32_t* elements);
  /// y[c] = the largest element of the box above -FLT_MAX, and places[c] where it is found first, or -1: NaN is not
  /// larger.
  void (*largest)(const PixelBox& p);
  /// The same where NaN is followed by the element after it, without places.
  void (*maximum)(const PixelBox& p);
  /// y[c] = the sum over the box, divided by `divisor`.
  void (*mean)(const PixelBox& p, float divisor);
};

CORACLE_ISA_TABLES(LinesFunctions, lines)

}  // namespace coracle::internal::cpu
