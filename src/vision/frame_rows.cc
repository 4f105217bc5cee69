// SPDX-License-Identifier: Apache-2.0
#include "vision/frame_rows.h"

#include <algorithm>

namespace coracle::vision {
namespace {

constexpr int kFractionBits = 20;
constexpr int kLuma = 1220542;  // 1.164, and so on, times 2^20
constexpr int kRedOfV = 1673527;
constexpr int kGreenOfV = -852492;
constexpr int kGreenOfU = -409993;
constexpr int kBlueOfU = 2116026;

std::int16_t eight_bits(int sum) { return static_cast<std::int16_t>(std::clamp(sum >> kFractionBits, 0, 255)); }

/// Y, U and V become red, green and blue.
void to_rgb(std::size_t count, std::int16_t* first, std::int16_t* second, std::int16_t* third) {
  for (std::size_t i = 0; i < count; ++i) {
    const int y = std::max(first[i] - 16, 0) * kLuma + (1 << (kFractionBits - 1));
    const int u = second[i] - 128;
    const int v = third[i] - 128;
    first[i] = eight_bits(y + kRedOfV * v);
    second[i] = eight_bits(y + kGreenOfV * v + kGreenOfU * u);
    third[i] = eight_bits(y + kBlueOfU * u);
  }
}

}  // namespace

FrameRows::FrameRows(const FrameRegion& region, int width, int height)
    : region_(region), down_(linear_taps_down(region.height, height)) {
  const std::vector<Tap<2>> across = linear_taps_of_rows(region.width, width);
  for (const FrameChannel& channel : region.channels) {
    for (std::size_t k = 0; k < 2; ++k) {
      for (const Tap<2>& tap : across) offsets_.push_back(((region.left + tap.at[k]) >> channel.shift) * channel.step);
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    for (const Tap<2>& tap : across) weights_.push_back(static_cast<std::int16_t>(tap.weight[k]));
  }
  values_.resize(6 * across.size());
  for (Kept& kept : kept_) kept.values.resize(3 * across.size());
  pixels_.resize(3 * across.size());
}

const std::uint8_t* FrameRows::row(int y) {
  const Tap<2>& tap = down_[static_cast<std::size_t>(y)];
  const int* first = source_row(tap.at[0]);
  join_linear({first, source_row(tap.at[1])}, tap, static_cast<int>(pixels_.size()), pixels_.data());
  return pixels_.data();
}

/// The last two are kept: what the next row of the result is made of may be among them.
const int* FrameRows::source_row(int y) {
  Kept& kept = kept_[static_cast<std::size_t>(y) % 2];
  if (kept.y != y) make_row(region_.top + y, kept.values.data());
  kept.y = y;
  return kept.values.data();
}

void FrameRows::make_row(int y, int* out) {
  const std::size_t count = weights_.size();
  std::int16_t* values = values_.data();
  const int* offsets = offsets_.data();
  for (std::size_t c = 0; c < 3; ++c, offsets += count) {
    const FrameChannel& from = region_.channels[c];
    const std::uint8_t* row = from.first + from.stride * static_cast<std::size_t>(y >> from.shift);
    std::int16_t* to = values + c * count;
    for (std::size_t i = 0; i < count; ++i) to[i] = row[offsets[i]];
  }
  if (region_.is_yuv) to_rgb(count, values, values + count, values + 2 * count);
  const std::size_t width = count / 2;
  const std::int16_t* weights = weights_.data();
  for (std::size_t c = 0; c < 3; ++c, out += width, values += count) {
    for (std::size_t x = 0; x < width; ++x) out[x] = values[x] * weights[x] + values[width + x] * weights[width + x];
  }
}

}  // namespace coracle::vision
