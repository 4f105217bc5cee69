// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/dtype.h"
#include "base/precision.h"

namespace coracle::internal::gpu {

/// y[batch, m, n] = sum over k of a[m, k] * b[k, n]. Steps in elements, 0 along what has one element; y has no gaps.
struct Matrices {
  struct Axis {
    int64_t size = 1;
    int64_t a_step = 0;
    int64_t b_step = 0;
  };

  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  int64_t a_row = 0;
  int64_t a_depth = 0;
  int64_t b_depth = 0;
  int64_t b_column = 0;
  std::vector<Axis> batch;  ///< outermost first
};

/// A product that a library of the device's maker may compute: y = activation(alpha * a * b + added + bias), added up
/// in float32. Its function is called with y, a, b, then `added`, which lies like y, and `bias`, a number for each
/// column, where it has them. Of int8, y is the sums alone, in int32: there is no alpha and nothing else.
struct Product {
  enum class Activation : uint8_t { kNone, kRelu, kGeluTanh };

  Matrices matrices;
  DType type = DType::kFloat32;               ///< of all tensors; int8: of a and b
  Precision precision = Precision::kDefault;  ///< of float32: multiply-adds alone, or operands that are rounded first
  float alpha = 1;
  bool has_added = false;
  bool has_bias = false;
  Activation activation = Activation::kNone;
};

}  // namespace coracle::internal::gpu
