// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/gpu/launch_plan.h"
#include "ops/common/epilogue.h"
#include "ops/conv_pool/convolution.h"
#include "ops/quantize/integer_product.h"

namespace coracle::internal::gpu {

/// A convolution of images, operand 0, with filters, operand 1, by own kernels: products of the filter with what the
/// windows hold (gemm.cl), or one item for each element of the result (conv_direct.cl). Channels come first; tensors of
/// the epilogue stand from operand 2 on.
struct OwnConvolution {
  ConvolutionGeometry sizes;                 ///< of height and width
  bool transposed = false;                   ///< the gradient of one
  DType type = DType::kFloat32;              ///< of all tensors, but of those of convolutions of integers
  const Epilogue* epilogue = nullptr;        ///< may be null
  const IntegerProduct* integers = nullptr;  ///< of int8, with this epilogue

  /// Whether an item makes an element: where groups have few channels in their result, and where it is transposed.
  bool is_direct() const;
};

/// Without stride and padding: a product of the filter and each image.
bool is_pointwise(const ConvolutionGeometry& sizes);

/// Adds the launch of a convolution whose result has elements. Returns the floats of workspace that it needs (gemm.h).
int64_t add(LaunchPlan& plan, const PrepareContext& context, const OwnConvolution& convolution);

}  // namespace coracle::internal::gpu
