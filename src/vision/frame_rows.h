// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vision/resize.h"

namespace coracle::vision {

/// One of three channels of a frame. Chroma is halved: `shift` 1, its pixels are two by two of the frame.
struct FrameChannel {
  const std::uint8_t* first;
  std::size_t stride;
  int step;  ///< bytes from one pixel to the next
  int shift;
};

/// A part of a frame, and how the frame lies in memory.
struct FrameRegion {
  std::array<FrameChannel, 3> channels;  ///< red, green and blue, or Y, U and V
  bool is_yuv;
  int left;
  int top;
  int width;
  int height;
};

/// The rows of a region at another size, made when they are asked for, from the first to the last.
class FrameRows {
 public:
  FrameRows(const FrameRegion& region, int width, int height);

  /// Row y of the result: all red pixels, all green ones, all blue ones. Until the next call.
  const std::uint8_t* row(int y);

 private:
  struct Kept {
    int y = -1;
    std::vector<int> values;  ///< channel after channel at the result's width, in units of 1 / 2048
  };

  const int* source_row(int y);
  void make_row(int y, int* out);

  FrameRegion region_;
  std::vector<Tap<2>> down_;
  /// Of the pixels that a row is made of, in bytes from the row's first: for each channel those of all first taps
  /// before those of all second ones.
  std::vector<int> offsets_;
  std::vector<std::int16_t> weights_;  ///< in this order, the same for all channels
  std::vector<std::int16_t> values_;   ///< of these pixels in a row
  std::array<Kept, 2> kept_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace coracle::vision
