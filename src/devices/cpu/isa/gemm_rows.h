// SPDX-License-Identifier: Apache-2.0
//
// Where the rows of an indirect matrix product lie: pointers into A, pixels of C. Included only by gemm.cc.
#pragma once

#include <cstring>

#include "gemm_tile.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

// Taps whose pointers are kept at once.
constexpr int64_t kTapChunk = 64;

// What is the same for all tiles of a call.
struct TapBounds {
  int64_t y_low, y_high, x_low, x_high;  // of tap_y and tap_x, the latter with the joined pixels
};

HWY_INLINE TapBounds tap_bounds(const GemmImage& image, int64_t taps) {
  TapBounds bounds{0, 0, 0, 0};
  for (int64_t t = 0; t < taps; ++t) {
    const int64_t y = image.tap_y[t];
    const int64_t x = image.tap_x[t];
    if (t == 0) bounds = {y, y, x, x};
    if (y < bounds.y_low) bounds.y_low = y;
    if (y > bounds.y_high) bounds.y_high = y;
    if (x < bounds.x_low) bounds.x_low = x;
    if (x > bounds.x_high) bounds.x_high = x;
  }
  bounds.x_high += image.join - 1;
  return bounds;
}

// The rows of one tile; rows past the last repeat it.
class TileRows {
 public:
  void locate(const GemmCall& call, const TapBounds& bounds, int64_t first, int count, int padded) {
    if (call.image == nullptr) {
      for (int r = 0; r < padded; ++r) {
        const int64_t row = first + (r < count ? r : count - 1);
        base_[r] = call.a + row * call.a_stride;
        pixels_[r] = row;
      }
      return;
    }
    const GemmImage& image = *call.image;
    int64_t ox = first % image.out_w;
    int64_t oy = first / image.out_w % image.out_h;
    int64_t n = first / image.out_w / image.out_h;
    inside_ = true;
    for (int r = 0; r < padded; ++r) {
      const int64_t y = oy * image.stride_y;
      const int64_t x = ox * image.stride_x;
      y_[r] = y;
      x_[r] = x;
      image_[r] = call.a + n * image.in_h * image.in_w * image.in_channels;
      base_[r] = image_[r] + (y * image.in_w + x) * image.in_channels;
      pixels_[r] = image.out_first + n * image.out_batch + oy * image.out_row + ox * image.out_column;
      inside_ = inside_ && y + bounds.y_low >= 0 && y + bounds.y_high < image.in_h && x + bounds.x_low >= 0 &&
                x + bounds.x_high < image.in_w;
      if (r + 1 < count && ++ox == image.out_w) {
        ox = 0;
        if (++oy == image.out_h) {
          oy = 0;
          ++n;
        }
      }
    }
  }

  // Pointers for taps [tap, tap + taps), at most kTapChunk. `group_offset` is the group's first channel.
  void point(const GemmCall& call, int64_t tap, int64_t taps, int padded, int64_t group_offset) {
    const GemmImage* image = call.image;
    for (int64_t t = 0; t < taps; ++t) {
      const float** to = pointers_ + t * kTileRows;
      if (image == nullptr) {
        for (int r = 0; r < padded; ++r) to[r] = base_[r] + group_offset;
        continue;
      }
      const int64_t tap_y = image->tap_y[tap + t];
      const int64_t tap_x = image->tap_x[tap + t];
      const int64_t offset = (tap_y * image->in_w + tap_x) * image->in_channels + group_offset;
      if (inside_) {
        for (int r = 0; r < kTileRows; ++r) to[r] = offset_by(base_[r], offset);
        continue;
      }
      for (int r = 0; r < padded; ++r) {
        const int64_t y = y_[r] + tap_y;
        const int64_t x = x_[r] + tap_x;
        if (y < 0 || y >= image->in_h || x + image->join <= 0 || x >= image->in_w) {
          to[r] = call.zeros;
        } else if (x >= 0 && x + image->join <= image->in_w) {
          to[r] = base_[r] + offset;
        } else {
          to[r] = gather(*image, r, t, y, x);
        }
      }
    }
  }

  const float* const* pointers() const { return pointers_; }
  const int64_t* pixels() const { return pixels_; }

 private:
  // Unused rows hold whatever was there: plain integer arithmetic.
  static HWY_INLINE const float* offset_by(const float* p, int64_t floats) {
    return reinterpret_cast<const float*>(reinterpret_cast<uintptr_t>(p) +
                                          static_cast<uintptr_t>(floats) * sizeof(float));
  }

  // Copies joined pixels that lie partly outside, with zeros there.
  const float* gather(const GemmImage& image, int r, int64_t t, int64_t y, int64_t x) {
    float* to = joined_[r][t];
    const float* row = image_[r] + y * image.in_w * image.in_channels;
    for (int64_t j = 0; j < image.join; ++j, to += image.in_channels) {
      const size_t bytes = static_cast<size_t>(image.in_channels) * sizeof(float);
      if (x + j < 0 || x + j >= image.in_w) {
        memset(to, 0, bytes);
      } else {
        memcpy(to, row + (x + j) * image.in_channels, bytes);
      }
    }
    return joined_[r][t];
  }

  bool inside_ = true;
  int64_t y_[kTileRows] = {};
  int64_t x_[kTileRows] = {};
  int64_t pixels_[kTileRows] = {};
  const float* image_[kTileRows] = {};
  const float* base_[kTileRows] = {};
  const float* pointers_[kTapChunk * kTileRows];
  float joined_[kTileRows][kMaxJoinedTaps][kMaxJoinedDepth];
};

}  // namespace
}  // namespace coracle::cpu::CORACLE_ISA
