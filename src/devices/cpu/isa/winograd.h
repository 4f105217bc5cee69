// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/post_op.h"

namespace coracle::cpu {

/// Winograd's algorithm F(4x4, 3x3) for convolutions with a 3x3 filter and stride 1 over channels-last images: 4x4
/// output pixels ("tile") are computed from 36 transformed values of their 6x6 input pixels, with 36 products instead
/// of 144 for each pair of channels. Tiles are counted by image, row and column; tiles at the lower and right edges may
/// be cut.
constexpr int64_t kWinogradTile = 4;     ///< output pixels of a tile along each axis
constexpr int64_t kWinogradInputs = 6;   ///< input pixels of a tile along each axis
constexpr int64_t kWinogradPoints = 36;  ///< transformed values per tile and channel

struct WinogradCall {
  int64_t in_h = 0, in_w = 0;
  int64_t in_channels = 0;
  int64_t out_h = 0, out_w = 0;
  int64_t out_channels = 0;
  int64_t pad_top = 0, pad_left = 0;
  const float* input = nullptr;
  const float* zeros = nullptr;  ///< in_channels zeros
  float* output = nullptr;
  const PostOp* ops = nullptr;
  int op_count = 0;  ///< at most kMaxPostOps

  int64_t tiles_h() const { return (out_h + kWinogradTile - 1) / kWinogradTile; }
  int64_t tiles_w() const { return (out_w + kWinogradTile - 1) / kWinogradTile; }
};

struct WinogradFunctions {
  /// Transforms the inputs of tiles [begin, end) into a[tile - begin][point][in channel].
  void (*transform_input)(const WinogradCall& call, int64_t begin, int64_t end, float* a);
  /// Writes the output pixels of tiles [begin, end) from c[tile - begin][point][out channel], with post-operations.
  void (*transform_output)(const WinogradCall& call, int64_t begin, int64_t end, const float* c);
};

CORACLE_ISA_TABLES(WinogradFunctions, winograd)

}  // namespace coracle::cpu
