// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dtype.h"
#include "base/precision.h"
#include "ops/conv_pool/convolution.h"

namespace coracle::internal::gpu {

/// A convolution of images that a library of the device's maker may compute: y = relu(sum + added + bias), added up in
/// float32. All tensors have channels first and no gaps. Its function is called with y, x, the filter,
/// then `added`, which lies like y, and `bias`, a number for each channel, where it has them.
struct ImageConvolution {
  ConvolutionGeometry sizes;                  ///< of height and width
  DType type = DType::kFloat32;               ///< of all tensors
  Precision precision = Precision::kDefault;  ///< of float32: multiply-adds alone, or operands that are rounded to TF32
  bool has_added = false;
  bool has_bias = false;
  bool relu = false;
  bool may_have_workspace = false;  ///< else its function needs none
};

}  // namespace coracle::internal::gpu
