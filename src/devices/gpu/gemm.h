// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "devices/gpu/epilogue.h"

namespace coracle::internal::gpu {

/// y[batch, m, n] = sum over k of a[m, k] * b[k, n]: kernels/gemm.cl. Steps in elements.
struct Gemm {
  struct Axis {
    int64_t size = 1;
    int64_t a_step = 0;
    int64_t b_step = 0;
  };
  /// What the windows of an image hold, as b.
  struct Windows {
    int64_t kernel_h = 1;
    int64_t kernel_w = 1;
    std::vector<int64_t> numbers;  ///< the parameters of gemm.cl, in order
  };

  int a = 0;  ///< operands
  int b = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  int64_t a_row = 0;
  int64_t a_depth = 0;
  int64_t b_depth = 0;
  int64_t b_column = 0;
  std::vector<Axis> batch;  ///< outermost first
  const Windows* windows = nullptr;

  const Epilogue* epilogue = nullptr;
  int first_tensor = 0;           ///< operand
  bool channels_in_rows = false;  ///< else the columns are the channels
  int64_t groups = 1;             ///< of channels, as the innermost batch axis
};

void add(LaunchPlan& plan, OpenDevice& device, const Gemm& gemm, DType type);

}  // namespace coracle::internal::gpu
