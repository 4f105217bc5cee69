// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/epilogue_op.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// Depthwise convolution over channels-last images: each channel with its own kernel. Outside the image nothing is
/// added. Each output is summed in an order of its taps that depends on the filter's shape alone, whatever rows or
/// columns are computed together.
struct DepthwiseCall {
  int64_t channels = 0;
  int64_t in_h = 0, in_w = 0;
  int64_t in_stride = 0;  ///< floats from pixel to pixel
  int64_t out_h = 0, out_w = 0;
  int64_t out_stride = 0;  ///< floats from pixel to pixel
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_y = 1, stride_x = 1;
  int64_t dilation_y = 1, dilation_x = 1;
  int64_t pad_top = 0, pad_left = 0;
  const float* input = nullptr;
  const float* packed = nullptr;
  int64_t weight_step = 0;       ///< floats from tap to tap of `packed`, whose filters may be more than these channels
  const float* zeros = nullptr;  ///< one for each channel
  float* output = nullptr;
  const EpilogueOp* epilogue = nullptr;
  int epilogue_size = 0;  ///< at most kMaxEpilogueOps
};

struct DepthwiseFunctions {
  int64_t (*packed_floats)(int64_t taps, int64_t channels);
  /// From weights[channel][tap].
  void (*pack)(const float* weights, int64_t taps, int64_t channels, float* packed);
  /// Computes output rows [row_begin, row_end), counted through all images of the batch.
  void (*run)(const DepthwiseCall& call, int64_t row_begin, int64_t row_end);
};

CORACLE_ISA_TABLES(DepthwiseFunctions, depthwise)

}  // namespace coracle::internal::cpu
