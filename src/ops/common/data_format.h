// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/tensor.h"

namespace coracle::internal {

/// Which dimension of a logical shape holds the channels: N, C, spatial... or N, spatial..., C.
enum class DataFormat : uint8_t { kNchw, kNhwc, kNcdhw, kNdhwc, kNcl, kNlc, kNcw, kNwc, kNc, kAnyLayout, kAny };

std::span<const std::string_view> names_of(DataFormat);

constexpr bool is_channels_last(DataFormat f) {
  return f == DataFormat::kNhwc || f == DataFormat::kNdhwc || f == DataFormat::kNlc || f == DataFormat::kNwc;
}

/// The dimension of the channels in a shape of `rank` dimensions (0 for a rank below 2).
constexpr int channel_axis(DataFormat f, int rank) {
  if (rank < 2) return 0;
  return is_channels_last(f) ? rank - 1 : 1;
}

/// `shape` with the channels brought to dimension 1, and the way back. The rank must be known.
Shape to_channels_first(const Shape& shape, DataFormat format);
Shape from_channels_first(const Shape& shape, DataFormat format);

/// The tensor with its channels at dimension 1 (itself where they are there already).
Tensor to_channels_first(const RunContext& context, const Tensor& tensor, DataFormat format);
/// Memory of the channels-first shape of `like`: `like` itself where its channels are first already.
Tensor channels_first_like(const RunContext& context, const Tensor& like, DataFormat format);
/// Writes what was computed in channels_first_like(to, format) to `to`; nothing to do where that is the same memory.
void store_channels_first(const Tensor& from, DataFormat format, Tensor& to);

}  // namespace coracle::internal
