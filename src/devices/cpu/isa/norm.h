// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "devices/cpu/isa/over.h"
#include "devices/cpu/isa/tables.h"

namespace coracle::internal::cpu {

/// For layer_norm and rms_norm over `rows` contiguous rows of n. y may be x, residual or sum.
struct RowNorm {
  const float* x = nullptr;
  const float* residual = nullptr;  ///< added to x first, if given
  const float* scale = nullptr;     ///< n elements; null: 1
  const float* bias = nullptr;      ///< n elements; null: 0
  float* y = nullptr;
  float* sum = nullptr;       ///< gets x + residual, if given
  float* mean = nullptr;      ///< layer_norm: gets each row's mean, if given
  float* variance = nullptr;  ///< layer_norm: gets each row's variance, if given
  size_t rows = 0;
  size_t n = 0;
  float epsilon = 1e-5f;
  const Deadline* deadline = nullptr;  ///< of the run; null: none
};

/// For group_norm over groups of channels_per_group * area elements; instance_norm is one channel per group.
struct GroupNorm {
  const float* x = nullptr;      ///< the first image: [channels, area], or [area, channels]
  const float* scale = nullptr;  ///< one per channel; null: 1
  const float* bias = nullptr;   ///< one per channel; null: 0
  float* y = nullptr;
  size_t groups = 1;
  size_t channels_per_group = 1;
  size_t area = 0;
  float epsilon = 1e-5f;
  const Deadline* deadline = nullptr;  ///< of the run; null: none
};

struct NormFunctions {
  /// (x - mean) / sqrt(variance + epsilon) * scale + bias; mean first, then the variance around it.
  void (*layer_norm)(const RowNorm& p);
  /// x / sqrt(mean of squares + epsilon) * scale + bias.
  void (*rms_norm)(const RowNorm& p);
  /// Row-major images: the groups [begin, end) counted over all images (image = index / groups). y may be x.
  void (*group_norm)(const GroupNorm& p, size_t begin, size_t end);
  /// One channels-last image, the groups [begin, end) of it. workspace: 2 floats per channel of the image. y may be x.
  void (*group_norm_channels_last)(const GroupNorm& p, size_t begin, size_t end, float* workspace);
  /// y = x * scale[row] + shift[row], and y = x * scale[column] + shift[column], for [rows, columns]. y may be x.
  void (*affine_rows)(const float* x, const float* scale, const float* shift, float* y, size_t rows, size_t columns,
                      const Deadline* deadline);
  void (*affine_columns)(const float* x, const float* scale, const float* shift, float* y, size_t rows, size_t columns,
                         const Deadline* deadline);
};

CORACLE_ISA_TABLES(NormFunctions, norm)

}  // namespace coracle::internal::cpu
