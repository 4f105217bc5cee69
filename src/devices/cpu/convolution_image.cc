// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/convolution_image.h"

namespace coracle::internal::cpu {

bool is_pointwise(const ConvolutionGeometry& g) {
  const auto plain = [](const WindowAxis& a) {
    return a.kernel == 1 && a.stride == 1 && a.pad_before == 0 && a.out == a.in;
  };
  return plain(g.height()) && plain(g.width());
}

void ConvolutionImage::set_taps(const ConvolutionGeometry& g, int64_t join) {
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  for (int64_t ky = 0; ky < h.kernel; ++ky) {
    for (int64_t kx = 0; kx < w.kernel; kx += join) {
      tap_y.push_back(static_cast<int32_t>(ky * h.dilation - h.pad_before));
      tap_x.push_back(static_cast<int32_t>(kx * w.dilation - w.pad_before));
    }
  }
  image.join = join;
}

void ConvolutionImage::set_image(const ConvolutionGeometry& g, int64_t pixel) {
  has_image = true;
  image.in_h = g.height().in;
  image.in_w = g.width().in;
  image.in_channels = pixel;
  image.out_h = g.height().out;
  image.out_w = g.width().out;
  image.stride_y = g.height().stride;
  image.stride_x = g.width().stride;
  image.tap_y = tap_y.data();
  image.tap_x = tap_x.data();
  image.out_batch = image.out_h * image.out_w;
  image.out_row = image.out_w;
}

}  // namespace coracle::internal::cpu
