// SPDX-License-Identifier: Apache-2.0
//
// Where the rows of an indirect matrix product lie: pointers into A, pixels of C. Included only by gemm.cc.
#pragma once

#include <cstring>

#include "gemm_tile.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Taps whose pointers are kept at once.
constexpr int64_t kTapChunk = 64;

// Rows of A are copied side by side, block by block of their floats, where a tile of them does not stay near: if they
// lie so that they push each other out of the level-1 cache, or if they are long. An even number of floats, as paired
// panels take two at a time; the copies lie a line more apart.
constexpr int64_t kBlockDepth = 384;
constexpr int64_t kBlockStride = kBlockDepth + 16;
constexpr int64_t kLongDepth = 1536;
constexpr int64_t kShortDepth = 32;  // not worth it

HWY_INLINE bool copies_rows(const GemmCall& call) {
  constexpr int kWays = 8;              // of the level-1 cache: so many lines of a set fit
  constexpr int64_t kWayFloats = 1024;  // as far apart, floats share a set
  if (kTileRows <= kWays || call.shape.taps != 1) return false;
  const int64_t stride = call.image == nullptr ? call.a_stride : call.image->stride_x * call.image->in_channels;
  return call.shape.depth > kLongDepth || (stride % kWayFloats == 0 && call.shape.depth >= kShortDepth);
}

// What is the same for all tiles of a call.
struct TapBounds {
  int64_t z_low, z_high, y_low, y_high, x_low, x_high;  // of the taps, along x with the joined pixels
};

HWY_INLINE TapBounds tap_bounds(const GemmImage& image, int64_t taps) {
  TapBounds bounds{0, 0, 0, 0, 0, 0};
  for (int64_t t = 0; t < taps; ++t) {
    const int64_t z = image.tap_z == nullptr ? 0 : image.tap_z[t];
    const int64_t y = image.tap_y[t];
    const int64_t x = image.tap_x[t];
    if (t == 0) bounds = {z, z, y, y, x, x};
    if (z < bounds.z_low) bounds.z_low = z;
    if (z > bounds.z_high) bounds.z_high = z;
    if (y < bounds.y_low) bounds.y_low = y;
    if (y > bounds.y_high) bounds.y_high = y;
    if (x < bounds.x_low) bounds.x_low = x;
    if (x > bounds.x_high) bounds.x_high = x;
  }
  bounds.x_high += image.join - 1;
  return bounds;
}

// 1 if 0 <= i < size, else 0: a number, so that several are combined without branches.
HWY_INLINE int is_below(int64_t i, int64_t size) {
  return static_cast<uint64_t>(i) < static_cast<uint64_t>(size) ? 1 : 0;
}

// The rows of one tile after the other.
class TileRows {
 public:
  // Where the first tile begins.
  void begin(const GemmCall& call, int64_t row) {
    next_ = row;
    if (call.image == nullptr) return;
    const GemmImage& image = *call.image;
    next_x_ = row % image.out_w;
    next_y_ = row / image.out_w % image.out_h;
    next_z_ = row / image.out_w / image.out_h % image.out_d;
    next_image_ = row / image.out_w / image.out_h / image.out_d;
  }

  // The next `count` rows.
  void locate(const GemmCall& call, const TapBounds& bounds, int count) {
    count_ = count;
    if (call.image == nullptr) {
      const float* base = call.a + next_ * call.a_stride;
      for (int r = 0; r < count; ++r, base += call.a_stride) {
        base_[r] = base;
        pixels_[r] = next_ + r;
        offsets_[r] = (next_ + r) * call.c_stride;
      }
      next_ += count;
      return;
    }
    const GemmImage& image = *call.image;
    inside_ = true;
    int r = 0;
    while (r < count) {
      // What lies in one output row.
      const int64_t left = image.out_w - next_x_;
      const int end = count - r < left ? count : r + static_cast<int>(left);
      const int64_t z = next_z_ * image.stride_z;
      const int64_t y = next_y_ * image.stride_y;
      const float* start = call.a + next_image_ * image.in_d * image.in_h * image.in_w * image.in_channels;
      const float* line = start + (z * image.in_h + y) * image.in_w * image.in_channels;
      int64_t x = next_x_ * image.stride_x;
      int64_t pixel = image.out_first + next_image_ * image.out_batch + next_z_ * image.out_plane +
                      next_y_ * image.out_row + next_x_ * image.out_column;
      inside_ = inside_ && z + bounds.z_low >= 0 && z + bounds.z_high < image.in_d && y + bounds.y_low >= 0 &&
                y + bounds.y_high < image.in_h && x + bounds.x_low >= 0;
      next_x_ += end - r;
      for (; r < end; ++r, x += image.stride_x, pixel += image.out_column) {
        z_[r] = z;
        y_[r] = y;
        x_[r] = x;
        image_[r] = start;
        base_[r] = line + x * image.in_channels;
        pixels_[r] = pixel;
        offsets_[r] = pixel * call.c_stride;
      }
      inside_ = inside_ && x_[r - 1] + bounds.x_high < image.in_w;
      if (next_x_ == image.out_w) {
        next_x_ = 0;
        if (++next_y_ == image.out_h) {
          next_y_ = 0;
          if (++next_z_ == image.out_d) {
            next_z_ = 0;
            ++next_image_;
          }
        }
      }
    }
  }

  // Pointers for taps [tap, tap + taps), at most kTapChunk. `group_offset` is the group's first channel.
  void point(const GemmCall& call, int64_t tap, int64_t taps, int64_t group_offset) {
    const GemmImage* image = call.image;
    for (int64_t t = 0; t < taps; ++t) {
      const float** to = pointers_ + t * kTileRows;
      if (image == nullptr) {
        for (int r = 0; r < count_; ++r) to[r] = base_[r] + group_offset;
        continue;
      }
      const int64_t tap_z = image->tap_z == nullptr ? 0 : image->tap_z[tap + t];
      const int64_t tap_y = image->tap_y[tap + t];
      const int64_t tap_x = image->tap_x[tap + t];
      const int64_t offset = ((tap_z * image->in_h + tap_y) * image->in_w + tap_x) * image->in_channels + group_offset;
      if (inside_) {
        for (int r = 0; r < count_; ++r) to[r] = base_[r] + offset;
        continue;
      }
      if (image->join == 1) {
        const float* zeros = call.zeros + group_offset;
        for (int r = 0; r < count_; ++r) {
          const int in_image = is_below(z_[r] + tap_z, image->in_d) & is_below(y_[r] + tap_y, image->in_h) &
                               is_below(x_[r] + tap_x, image->in_w);
          to[r] = in_image != 0 ? base_[r] + offset : zeros;
        }
        continue;
      }
      for (int r = 0; r < count_; ++r) {
        const int64_t z = z_[r] + tap_z;
        const int64_t y = y_[r] + tap_y;
        const int64_t x = x_[r] + tap_x;
        const bool in_plane = y >= 0 && y < image->in_h && x + image->join > 0 && x < image->in_w;
        if (!in_plane || z < 0 || z >= image->in_d) {
          to[r] = call.zeros;
        } else if (x >= 0 && x + image->join <= image->in_w) {
          to[r] = base_[r] + offset;
        } else {
          to[r] = gather(*image, r, t, z * image->in_h + y, x);
        }
      }
    }
  }

  // Goes on from these taps of a group to those of the next.
  void move(int64_t taps, int64_t floats) {
    for (int64_t t = 0; t < taps; ++t) {
      for (int r = 0; r < count_; ++r) pointers_[t * kTileRows + r] += floats;
    }
  }

  // The same for one tap, but only floats [k, end) of it, copied side by side.
  void copy(const GemmCall& call, int64_t k, int64_t end, int64_t group_offset) {
    const FloatTag d;
    constexpr int64_t kLanes = kFloatLanes;
    point(call, 0, 1, group_offset);
    const int64_t size = end - k;
    for (int r = 0; r < count_; ++r) {
      const float* from = pointers_[r] + k;
      float* to = copies_ + r * kBlockStride;
      int64_t i = 0;
      for (; i + kLanes <= size; i += kLanes) hn::Store(hn::LoadU(d, from + i), d, to + i);
      for (; i < size; ++i) to[i] = from[i];
      pointers_[r] = to;
    }
  }

  const float* const* pointers() const { return pointers_; }
  const int64_t* pixels() const { return pixels_; }
  // Floats from the beginning of C.
  const int64_t* offsets() const { return offsets_; }
  // Whether the first `count` rows are adjacent pixels.
  bool adjacent(int count) const { return pixels_[count - 1] - pixels_[0] == count - 1; }

 private:
  // Copies joined pixels that lie partly outside, with zeros there. `y` counts rows through all images of a volume.
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

  int count_ = 0;
  int64_t next_ = 0;
  int64_t next_image_ = 0;
  int64_t next_z_ = 0;
  int64_t next_y_ = 0;
  int64_t next_x_ = 0;
  bool inside_ = true;
  int64_t z_[kTileRows] = {};
  int64_t y_[kTileRows] = {};
  int64_t x_[kTileRows] = {};
  int64_t pixels_[kTileRows] = {};
  int64_t offsets_[kTileRows] = {};
  const float* image_[kTileRows] = {};
  const float* base_[kTileRows] = {};
  const float* pointers_[kTapChunk * kTileRows];
  float joined_[kTileRows][kMaxJoinedTaps][kMaxJoinedDepth];
  HWY_ALIGN float copies_[kTileRows * kBlockStride];
};

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
