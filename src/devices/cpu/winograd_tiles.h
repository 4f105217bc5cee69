// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "devices/cpu/bands.h"
#include "ops/conv_pool/convolution.h"
#include "plan/kernel.h"

/// What convolutions by Winograd's algorithm have in common, whatever they multiply.
namespace coracle::internal::cpu {

/// Tiles of so many rows and columns of the result, and what repays their transformations and reading the transformed
/// filter.
struct WinogradTiles {
  int64_t size = 4;
  int64_t least_tiles = 0;
  int64_t least_in_channels = 0;
  int64_t least_out_channels = 0;
  /// Multiplications of all tiles, cut ones included, have to be at most this share of the direct ones.
  int64_t share = 1;
  int64_t of_shares = 1;

  /// Tiles of one image.
  int64_t count(const ConvolutionGeometry& g) const;
  RejectionReason rejection(const ConvolutionGeometry& g) const;
};

/// Tiles that are worth a thread.
constexpr int64_t kGrainTiles = 12;

/// Tiles whose transformation alone is worth a thread, of so many points and channels.
constexpr int64_t transformation_grain(int64_t points, int64_t channels) {
  constexpr int64_t kNumbers = 12 << 10;
  return kNumbers / (points * channels) + 1;
}

/// So many threads go through tiles, each chunk by chunk: f(slot, begin, end).
template <class F>
void for_chunks(const KernelCall& call, int64_t tiles, int64_t slots, int64_t chunk, const F& f) noexcept {
  for_bands(*call.pool, tiles, slots, [&](int64_t slot, int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end && !call.over(); tile += chunk) f(slot, tile, std::min(tile + chunk, end));
  });
}

}  // namespace coracle::internal::cpu
