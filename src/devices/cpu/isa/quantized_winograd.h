// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/quantized_result.h"
#include "devices/cpu/isa/tables.h"

/// Winograd's algorithm F(4x4, 3x3) (winograd.h) on integers, exact. Instead of the fractions of the filter's transform
/// its rows are integers, c[point] / 24 times too large:
///   1 0 0 | 1 1 1 | 1 -1 1 | 1 2 4 | 1 -2 4 | 0 0 1    c = 6 -4 -4 1 1 24
/// Transformed inputs and filters have 16 bits. Products and their sums are counted modulo 2^32, as are the 576 times
/// too large results; 576 = 64 * 9, and 9 has an inverse modulo 2^32: each result is known modulo 2^26, which is enough
/// where its absolute value is below 2^25.
namespace coracle::internal::cpu {

struct QuantizedWinogradCall {
  int64_t in_h = 0, in_w = 0, out_h = 0, out_w = 0;
  int64_t in_channels = 0, out_channels = 0;
  int64_t pad_top = 0, pad_left = 0;
  int64_t chunk = 0;  ///< tiles of 4x4 results that scratch has room for
  int64_t first = 0;  ///< the tile that it begins with
  const int8_t* input = nullptr;
  /// [point][panel of two vectors of columns, the last may have one][pair of in channels][column][in channel of the
  /// pair], 16 bits; columns and pairs are filled up with zeros.
  const int16_t* filter = nullptr;
  int16_t* points = nullptr;    ///< scratch: transformed inputs, [point][tile][in channel, an even number]
  int32_t* products = nullptr;  ///< scratch: [point][tile][out channel, whole vectors]
  QuantizedResult result = {};

  int64_t tiles_h() const { return (out_h + 3) / 4; }
  int64_t tiles_w() const { return (out_w + 3) / 4; }
  int64_t pairs() const { return (in_channels + 1) / 2; }
  int64_t columns(int64_t lanes) const { return (out_channels + lanes - 1) / lanes * lanes; }
};

constexpr int64_t kQuantizedWinogradPoints = 36;

/// The three steps of a chunk. Tiles are counted by image, row and column.
struct QuantizedWinogradFunctions {
  int64_t lanes = 0;      ///< columns of a vector
  int64_t tile_rows = 0;  ///< tiles that are multiplied together
  void (*transform_input)(const QuantizedWinogradCall& call, int64_t begin, int64_t end);
  /// Of the chunk's first `tiles` with the panels [begin, end) of all points, counted as the filter has them.
  void (*multiply)(const QuantizedWinogradCall& call, int64_t tiles, int64_t begin, int64_t end);
  void (*transform_output)(const QuantizedWinogradCall& call, int64_t begin, int64_t end);
};

CORACLE_ISA_TABLES(QuantizedWinogradFunctions, quantized_winograd)

}  // namespace coracle::internal::cpu
