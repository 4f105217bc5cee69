// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "devices/cpu/isa/integer_result.h"
#include "devices/cpu/isa/tables.h"

/// Convolution of channels-last int8 images with one filter for each channel. Sums are exact in float32: there are at
/// most kMostIntegerTaps products of at most 128 * 127.
namespace coracle::cpu {

constexpr int64_t kMostIntegerTaps = 1024;

struct IntegerDepthwiseCall {
  int64_t channels = 0;
  int64_t in_h = 0, in_w = 0, out_h = 0, out_w = 0;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_y = 1, stride_x = 1;
  int64_t dilation_y = 1, dilation_x = 1;
  int64_t pad_top = 0, pad_left = 0;
  const int8_t* input = nullptr;
  const int8_t* zeros = nullptr;  ///< one pixel
  const float* filter = nullptr;  ///< [tap][channel]
  const int8_t** taps = nullptr;  ///< scratch for kIntegerPixels * kernel_h * kernel_w pointers
  IntegerResult result = {};
};

constexpr int64_t kIntegerPixels = 6;  ///< computed together

struct IntegerDepthwiseFunctions {
  /// Computes rows [begin, end) of the result, counted through all images.
  void (*run)(const IntegerDepthwiseCall& call, int64_t begin, int64_t end);
};

CORACLE_ISA_TABLES(IntegerDepthwiseFunctions, integer_depthwise)

}  // namespace coracle::cpu
