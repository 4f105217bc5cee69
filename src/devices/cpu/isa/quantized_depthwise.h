// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/quantized_result.h"
#include "devices/cpu/isa/tables.h"

/// Convolution of channels-last int8 images with one filter for each channel. Groups of taps, one below the other, are
/// multiplied by one instruction: one or two as numbers of 16 bits, or four as bytes. Those of the image have 128 added
/// for VNNI, which the first sum of each channel compensates; SDOT takes them as they are, and leaves these sums out.
/// The sums of at most kMostQuantizedTaps products of at most 128 * 128 are exact in float32 too.
namespace coracle::internal::cpu {

constexpr int64_t kMostQuantizedTaps = 1024;
/// A filter row, and the steps between the results of a strip, may be this wide.
constexpr int64_t kWidestQuantizedStrip = 1 << 16;
/// Results that are computed from the same grouped inputs: of a row, and rows if the filter's rows are adjacent.
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
  /// [alignment][vector of channels]([where the sums start: a channel each, 32 bits] for groups of four)[group of
  /// filter rows][filter column][channel][row of the group]; zeros where there is no channel or row. Groups of
  /// alignment 0 begin with row 0, of alignment 1 with one in front of it. Groups of one row have alignment 0 alone.
  const void* filter = nullptr;
  void* scratch = nullptr;  ///< scratch_bytes() of the functions
  QuantizedResult result = {};

  /// Whether several rows of results are computed from the same groups.
  bool shares_groups() const { return dilation_y == 1 && kernel_h > 1; }
  /// Results of a strip at most: the first cache keeps its inputs.
  int64_t strip() const { return stride_x == 1 ? kQuantizedStrip : kQuantizedStrip / 2; }
  /// Columns of the image, and beyond it, that a strip of results reads.
  int64_t strip_columns() const {
    const int64_t results = out_w < strip() ? (out_w + 7) / 8 * 8 : strip();
    return (results - 1) * stride_x + (kernel_w - 1) * dilation_x + 1;
  }
};

struct QuantizedDepthwiseFunctions {
  int64_t lanes = 0;       ///< channels of a vector
  int64_t group_rows = 2;  ///< of the filter, in a group: 1, 2 or 4
  int64_t vectors = 2;     ///< at most so many, side by side, are computed together
  /// Computes rows [begin, end) of the result, counted through all images.
  void (*run)(const QuantizedDepthwiseCall& call, int64_t begin, int64_t end) = nullptr;

  int64_t alignments() const { return group_rows == 1 ? 1 : 2; }
  /// Bytes of a channel in a group.
  int64_t lane_bytes() const { return group_rows == 1 ? 2 : 4; }
  /// Groups that a filter's rows make up, with so many rows in front of them in the first one.
  int64_t groups(int64_t kernel_h, int64_t alignment) const {
    return (kernel_h + alignment + group_rows - 1) / group_rows;
  }
  /// Bytes of the filter for a vector of channels.
  int64_t filter_bytes(int64_t kernel_h, int64_t kernel_w, int64_t alignment) const {
    return (groups(kernel_h, alignment) * kernel_w + (group_rows == 4 ? 1 : 0)) * lanes * lane_bytes();
  }
  /// Groups of input rows for so many rows of results. Where these share them, each of several rows begins two rows
  /// behind the one in front of it, and a result has every (group_rows / 2)th.
  int64_t input_groups(const QuantizedDepthwiseCall& call, int64_t rows) const {
    if (!call.shares_groups()) return groups(call.kernel_h, 0);
    if (group_rows == 1) return (rows - 1) * call.stride_y + call.kernel_h;
    int64_t most = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t first = r * call.stride_y;
      const int64_t last = first / 2 + (groups(call.kernel_h, first % 2) - 1) * (group_rows / 2);
      if (last >= most) most = last + 1;
    }
    return most;
  }
  int64_t scratch_bytes(const QuantizedDepthwiseCall& call) const {
    const int64_t rows = call.out_h < kQuantizedRows ? call.out_h : kQuantizedRows;
    return (input_groups(call, rows) * call.strip_columns() * lanes * vectors * lane_bytes() + 63) / 64 * 64;
  }
};

CORACLE_ISA_TABLES(QuantizedDepthwiseFunctions, quantized_depthwise)
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX2)
/// With AVX-VNNI, beside AVX2.
namespace avx_vnni {
extern const QuantizedDepthwiseFunctions quantized_depthwise;
}
/// The same, and what avx512_vnni has, for tests on machines without the instructions; they are no part of the library.
namespace emulated_avx_vnni {
extern const QuantizedDepthwiseFunctions quantized_depthwise;
}
namespace emulated_avx512_vnni {
extern const QuantizedDepthwiseFunctions quantized_depthwise;
}
#endif
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
namespace avx512_vnni {
extern const QuantizedDepthwiseFunctions quantized_depthwise;
}
#endif
#if defined(__aarch64__) && !defined(CORACLE_WITHOUT_NEON)
/// With SDOT.
namespace neon_dotprod {
extern const QuantizedDepthwiseFunctions quantized_depthwise;
}
#endif

}  // namespace coracle::internal::cpu
