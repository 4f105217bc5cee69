// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "devices/gpu/image_sizes.h"
#include "devices/gpu/on_device/library_calls.h"

namespace coracle::internal::test {

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
