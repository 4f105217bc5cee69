// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/gpu/image_convolution.h"

namespace coracle::internal::test {

/// Windows along one axis, which begin `before` its first element and end `after` its last.
inline WindowAxis windows(int64_t in, int64_t kernel, int64_t stride = 1, int64_t before = 0, int64_t after = 0,
                          int64_t dilation = 1) {
  WindowAxis axis{in, 1, kernel, stride, dilation, before, after};
  axis.out = (in + before + after - axis.span()) / stride + 1;
  return axis;
}

inline gpu::ImageConvolution images(int64_t batch, int64_t in_channels, int64_t out_channels, const WindowAxis& height,
                                    const WindowAxis& width, int64_t groups = 1) {
  gpu::ImageConvolution c;
  c.sizes.batch = batch;
  c.sizes.in_channels = in_channels;
  c.sizes.out_channels = out_channels;
  c.sizes.groups = groups;
  c.sizes.axes[1] = height;
  c.sizes.axes[2] = width;
  return c;
}

}  // namespace coracle::internal::test
