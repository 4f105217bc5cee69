// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xnnpack.h>

#include <array>
#include <compare>

namespace coracle_xnnpack {

/// An operator with weights, which XNNPACK packs when it is created: all that it is created from, and so what tells two
/// of them apart. Sizes of images and numbers of rows are no part of it.
struct Packed {
  enum class Kind { kConvolution, kTransposed, kProduct };

  Kind kind = Kind::kConvolution;
  const float* filter = nullptr;  ///< as the node has it
  const float* bias = nullptr;    ///< may be null
  uint32_t groups = 1;
  size_t inputs = 0;   ///< channels of a group
  size_t outputs = 0;  ///< the same
  /// Of height and width; a product has none.
  std::array<uint32_t, 2> kernel{1, 1};
  std::array<uint32_t, 2> stride{1, 1};
  std::array<uint32_t, 2> dilation{1, 1};
  std::array<uint32_t, 2> before{};
  std::array<uint32_t, 2> after{};
  uint32_t flags = 0;
  /// Bounds of the results.
  float low = 0;
  float high = 0;

  auto operator<=>(const Packed&) const = default;  // NOLINT(modernize-use-nullptr): none is here

  size_t taps() const { return size_t{kernel[0]} * kernel[1]; }
  /// About what the packed weights take.
  size_t bytes() const { return groups * outputs * (inputs * taps() + 1) * sizeof(float); }
};

/// Reads the filter and the bias, and keeps neither.
xnn_status create(const Packed& packed, xnn_operator_t* made);

}  // namespace coracle_xnnpack
