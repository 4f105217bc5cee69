// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dtype.h"
#include "ops/conv_pool/convolution.h"

namespace coracle::internal::gpu {

/// A convolution of images that a library of the device's maker may compute: y = relu(sum + added + bias), in float32
/// with multiply-adds alone. All tensors have channels first and no gaps. Its function is called with y, x, the filter,
/// then `added`, which lies like y, and `bias`, a number for each channel, where it has them.
struct ImageConvolution {
  ConvolutionGeometry sizes;     ///< of height and width
  DType type = DType::kFloat32;  ///< of all tensors
  bool has_added = false;
  bool has_bias = false;
  bool relu = false;
  bool may_have_workspace = false;  ///< else its function needs none
};

}  // namespace coracle::internal::gpu
