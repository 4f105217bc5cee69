// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/quantized_result.h"
#include "devices/cpu/isa/tables.h"

/// Convolution of channels-last int8 images with one filter for each channel. Pairs of taps, one below the other, are
/// multiplied as numbers of 16 bits; the sums of at most kMostQuantizedTaps products of at most 128 * 128 are exact in
/// float32 too.
namespace coracle::internal::cpu {

constexpr int64_t kMostQuantizedTaps = 1024;
/// A filter row, and the steps between the results of a strip, may be this wide.
constexpr int64_t kWidestQuantizedStrip = 1 << 16;
/// Results that are computed from the same widened inputs: of a row, and rows if the filter's rows are adjacent.
constexpr int64_t kQuantizedStrip = 32;
constexpr int64_t kQuantizedRows = 4;

struct QuantizedDepthwiseCall {
  int64_t channels = 0;
  int64_t in_h = 0, in_w = 0, out_h = 0, out_w = 0;
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_y = 1, stride_x = 1;
  int64_t dilation_y = 1, dilation_x = 1;
  int64_t pad_top = 0, pad_left = 0;
  const int8_t* input = nullptr;
  /// Numbers of 16 bits: [alignment][vector of channels][pair of filter rows][filter column][channel][row of the pair];
  /// zeros where there is no channel or row. Pairs of alignment 0 begin with row 0, of alignment 1 with one in front of
  /// it.
  const int16_t* filter = nullptr;
  void* scratch = nullptr;  ///< scratch_bytes() of the functions
  QuantizedResult result = {};

  static int64_t pairs(int64_t kernel_h, int64_t alignment) { return (kernel_h + alignment + 1) / 2; }
  /// Whether several rows of results are computed from the same pairs.
  bool shares_pairs() const { return dilation_y == 1 && kernel_h > 1; }
  int64_t most_pairs() const {
    const int64_t together = out_h < kQuantizedRows ? out_h : kQuantizedRows;
    return shares_pairs() ? (kernel_h + (together - 1) * stride_y + 1) / 2 : pairs(kernel_h, 0);
  }
  /// Columns of the image, and beyond it, that a strip of results reads.
  int64_t strip_columns() const {
    const int64_t results = out_w < kQuantizedStrip ? (out_w + 7) / 8 * 8 : kQuantizedStrip;
    return (results - 1) * stride_x + (kernel_w - 1) * dilation_x + 1;
  }
};

struct QuantizedDepthwiseFunctions {
  int64_t lanes = 0;  ///< channels of a vector
  /// Computes rows [begin, end) of the result, counted through all images.
  void (*run)(const QuantizedDepthwiseCall& call, int64_t begin, int64_t end);

  int64_t scratch_bytes(const QuantizedDepthwiseCall& call) const {
    return (call.most_pairs() * call.strip_columns() * lanes * 2 * 4 + 63) / 64 * 64;
  }
};

CORACLE_ISA_TABLES(QuantizedDepthwiseFunctions, quantized_depthwise)

}  // namespace coracle::internal::cpu
