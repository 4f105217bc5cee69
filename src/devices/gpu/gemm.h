// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "devices/gpu/epilogue.h"
#include "devices/gpu/product.h"

namespace coracle::internal::gpu {

/// A product with what is done to its elements: kernels/gemm.cl, or a library of the device's maker and
/// kernels/finish.cl (of integers kernels/integer_finish.cl).
struct Gemm {
  /// What the windows of an image hold, as b.
  struct Windows {
    int64_t kernel_h = 1;
    int64_t kernel_w = 1;
    std::vector<int64_t> numbers;  ///< the parameters of gemm.cl, in order
  };

  Parameter result = Parameter::result();
  Parameter a = Parameter::operand(0);
  Parameter b = Parameter::operand(1);
  Matrices matrices;
  const Windows* windows = nullptr;

  const Epilogue* epilogue = nullptr;
  const IntegerProduct* integers = nullptr;  ///< a and b are int8, and this is the epilogue: kernels/integer_gemm.cl
  int first_tensor = 0;                      ///< operand
  bool channels_in_rows = false;             ///< else the columns are the channels
  int64_t groups = 1;                        ///< of channels, as the innermost batch axis
};

/// `type` is that of all tensors, but of those of products of integers. Returns how many floats of the call's
/// workspace, from the first one on, the product needs.
int64_t add(LaunchPlan& plan, const PrepareContext& context, const Gemm& gemm, DType type);

}  // namespace coracle::internal::gpu
