// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/epilogue_op.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// Winograd's algorithm F(m x m, 3x3) for convolutions with a 3x3 filter and stride 1 over channels-last images: m x m
/// output pixels ("tile") are computed from the transformed values ("points") of their (m + 2) x (m + 2) input pixels,
/// with one product per point instead of nine per output pixel for each pair of channels: 36 instead of 144 for m = 4,
/// 25 instead of 81 for m = 3, 16 instead of 36 for m = 2. Tiles are counted by image, row and column; tiles at the
/// lower and right edges may be cut. (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015.)
///
/// With m = 3 a filter may have more parts of 3x3 taps. A tile's output then needs its own transformed inputs for the
/// first part and those of tiles further down and to the right for the others, so there are more tiles of inputs than
/// of outputs. Output channels are multiples of 16 with m = 3. There are 16 input channels at least.
struct WinogradCall {
  int64_t tile = 4;                  ///< m: 2, 3 or 4
  int64_t parts_h = 1, parts_w = 1;  ///< of the filter
  int64_t in_h = 0, in_w = 0;
  int64_t in_channels = 0;
  int64_t in_stride = 0;  ///< floats from pixel to pixel
  int64_t out_h = 0, out_w = 0;
  int64_t out_channels = 0;
  int64_t out_stride = 0;  ///< floats from pixel to pixel
  int64_t pad_top = 0, pad_left = 0;
  const float* input = nullptr;
  const float* zeros = nullptr;  ///< in_channels zeros
  float* output = nullptr;
  const EpilogueOp* epilogue = nullptr;
  int epilogue_size = 0;         ///< at most kMaxEpilogueOps
  int64_t in_point_stride = 0;   ///< floats from point to point of transformed inputs
  int64_t out_point_stride = 0;  ///< the same of products

  int64_t points() const { return (tile + 2) * (tile + 2); }
  int64_t tiles_h() const { return (out_h + tile - 1) / tile; }
  int64_t tiles_w() const { return (out_w + tile - 1) / tile; }
  int64_t input_tiles_h() const { return tiles_h() + parts_h - 1; }
  int64_t input_tiles_w() const { return tiles_w() + parts_w - 1; }
};

struct WinogradFunctions {
  /// Transforms the inputs of input tiles [begin, end) into a[point][tile - begin][in channel].
  void (*transform_input)(const WinogradCall& call, int64_t begin, int64_t end, float* a);
  /// Writes the output pixels of tiles [begin, end) from c[point][tile - begin][out channel], with the epilogue.
  void (*transform_output)(const WinogradCall& call, int64_t begin, int64_t end, const float* c);
  /// Transforms `pairs` filters of 3x3 floats for tiles of m x m pixels into to[point * point_stride + pair]. The same
  /// bits on every instruction set.
  void (*transform_filter)(int64_t tile, const float* filter, int64_t pairs, int64_t point_stride, float* to);
};

CORACLE_ISA_TABLES(WinogradFunctions, winograd)

}  // namespace coracle::internal::cpu
