// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "devices/gpu/on_device/library_calls.h"

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

/// Convolutions by a library of the device's maker.
template <class Base>
class Convolutions : public LibraryCalls<Base> {
 protected:
  using LibraryCalls<Base>::run;
  static int64_t count_y(const gpu::ImageConvolution& c) {
    return c.sizes.batch * c.sizes.out_channels * c.sizes.height().out * c.sizes.width().out;
  }
  /// x, the filter, what is added and the bias, as far as there are such.
  static std::vector<std::vector<float>> operands(const gpu::ImageConvolution& c) {
    const ConvolutionGeometry& g = c.sizes;
    std::vector<std::vector<float>> all = {
        numbers(g.batch * g.in_channels * g.height().in * g.width().in, 1),
        numbers(g.out_channels * g.in_channels / g.groups * g.height().kernel * g.width().kernel, 2)};
    if (c.has_added) all.push_back(numbers(count_y(c), 3));
    if (c.has_bias) all.push_back(numbers(g.out_channels, 4));
    return all;
  }
  std::shared_ptr<const gpu::Function> made(const gpu::ImageConvolution& c) { return this->gpu().convolution(c); }
  std::vector<float> run(const gpu::ImageConvolution& c, const std::vector<std::vector<float>>& operands) {
    return run(made(c), count_y(c), operands);
  }
  std::vector<float> run(const gpu::ImageConvolution& c) { return run(c, operands(c)); }
};

}  // namespace coracle::internal::test
