// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xnnpack.h>

#include <array>
#include <compare>

namespace coracle_xnnpack {

/// An operator with weights, which XNNPACK packs when it is created: all that it is created from, and so what tells two
/// of them apart. Sizes of images and numbers of rows are no part of it.
struct Packed {
  enum class Kind {
    kConvolution,
    kTransposed,
    kProduct,
    kInt8Convolution,
    kInt8Product,  ///< by a matrix of int8 [inputs, outputs]
  };

  Kind kind = Kind::kConvolution;
  const void* filter = nullptr;  ///< as the node has it, float32 or int8
  const float* bias = nullptr;   ///< may be null
  /// Of operators on int8: what a sum is multiplied by, for each channel, and what a step of the results stands for.
  const float* factor = nullptr;
  float step = 0;
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

  bool of_int8() const { return kind == Kind::kInt8Convolution || kind == Kind::kInt8Product; }
  size_t taps() const { return size_t{kernel[0]} * kernel[1]; }
  /// About what the packed weights take.
  size_t bytes() const {
    const size_t weight = of_int8() ? 1 : sizeof(float);
    const size_t beside = (of_int8() ? 2 : 1) * sizeof(float);  // the bias, and a scale
    return groups * outputs * (inputs * taps() * weight + beside);
  }
};

/// Reads the filter, the bias and the factors, and keeps none. Throws Refused where integers do not hold these.
xnn_status create(const Packed& packed, xnn_operator_t* made);

}  // namespace coracle_xnnpack
