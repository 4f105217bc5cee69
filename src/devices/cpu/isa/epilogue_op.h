// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/element_steps.h"

namespace coracle::internal::cpu {

/// One step of an epilogue as micro-kernels take it. An output is seen as pixels (rows) times channels (columns).
struct EpilogueOp {
  EpilogueStep step;
  /// Of the kinds that take one: tensor[channel], or tensor[pixel * tensor_stride + channel]. That may be the output
  /// itself with the same stride (in place), but must not overlap it otherwise.
  const float* tensor = nullptr;
  const int8_t* integers = nullptr;  ///< in its place, of kAddIntegers
  int64_t tensor_stride = 0;         ///< elements from pixel to pixel
};

constexpr int kMaxEpilogueOps = 8;

}  // namespace coracle::internal::cpu
