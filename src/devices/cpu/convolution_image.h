// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "devices/cpu/isa/gemm.h"
#include "ops/conv_pool/convolution.h"

namespace coracle::internal::cpu {

/// Whether each pixel of the result is made of the one at its place.
bool is_pointwise(const ConvolutionGeometry& g);

/// The image whose pixels are the rows of a product, and the taps that each of them has: what plans of all element
/// types have in common.
struct ConvolutionImage {
  bool has_image = false;
  GemmImage image;  ///< tap lists point into the vectors below, whose elements stay where they are when it is moved
  std::vector<int32_t> tap_y;
  std::vector<int32_t> tap_x;

  /// The taps of a filter, so many of a row as one.
  void set_taps(const ConvolutionGeometry& g, int64_t join);
  /// An image with pixels so many elements apart, once there are taps.
  void set_image(const ConvolutionGeometry& g, int64_t pixel);
};

}  // namespace coracle::internal::cpu
