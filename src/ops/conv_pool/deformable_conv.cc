// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/deformable_conv.h"

#include <cmath>
#include <vector>

#include "base/buffer.h"

namespace coracle::internal {

void infer(const DeformableConv& op, InferArgs& a) {
  infer_convolution(op.convolution(), a, 2, 2);
  const Shape& x = a.shape(0);
  const Shape& filter = a.shape(2);
  require(op.deformable_groups > 0, "deformable_groups is ", op.deformable_groups, ", expected a positive number");
  for (int port : {1, 3}) {
    if (!a.has(port)) continue;
    const std::string_view name = port == 1 ? "offset" : "mask";
    require(a.dtype(port) == a.dtype(0), name, " is ", a.dtype(port), ", but x is ", a.dtype(0));
    const Shape& s = a.shape(port);
    if (!s.known() || !x.known() || !filter.known()) continue;
    require(x[1] % op.deformable_groups == 0, "x ", x, " does not divide into ", op.deformable_groups,
            " deformable groups");
    const Shape& y = a.out(0).shape;
    const int64_t channels = checked_multiply(filter[2] * filter[3], op.deformable_groups) * (port == 1 ? 2 : 1);
    const Shape expected{x[0], channels, y[2], y[3]};
    require(s == expected, name, " is ", s, ", expected ", expected);
  }
}

namespace {

/// An element between four others, 0 outside.
template <class T>
double bilinear_at(const T* image, int64_t height, int64_t width, double y, double x) {
  if (!(y > -1 && x > -1 && y < static_cast<double>(height) && x < static_cast<double>(width))) return 0;
  const auto y0 = static_cast<int64_t>(std::floor(y));
  const auto x0 = static_cast<int64_t>(std::floor(x));
  const double wy = y - static_cast<double>(y0);
  const double wx = x - static_cast<double>(x0);
  const auto at = [&](int64_t r, int64_t c) {
    return r < 0 || c < 0 || r >= height || c >= width ? 0.0 : static_cast<double>(image[r * width + c]);
  };
  return (1 - wy) * ((1 - wx) * at(y0, x0) + wx * at(y0, x0 + 1)) +
         wy * ((1 - wx) * at(y0 + 1, x0) + wx * at(y0 + 1, x0 + 1));
}

template <class T>
void convolve_deformed(const DeformableConv& op, const ConvolutionGeometry& g, ReferenceArgs& a) {
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  const int64_t taps = h.kernel * w.kernel;
  const int64_t pixels = h.out * w.out;
  const int64_t channels = g.in_channels / g.groups;
  const int64_t results = g.out_channels / g.groups;
  const int64_t per_offset = g.in_channels / op.deformable_groups;
  const T* filter = a.in(2).data<T>();
  Buffer<double> columns(static_cast<size_t>(g.in_channels * taps), a.context());
  for (int64_t n = 0; n < g.batch; ++n) {
    const T* x = a.in(0).data<T>() + n * g.in_channels * h.in * w.in;
    const T* offset = a.in(1).data<T>() + n * op.deformable_groups * 2 * taps * pixels;
    const T* mask = a.has(3) ? a.in(3).data<T>() + n * op.deformable_groups * taps * pixels : nullptr;
    for (int64_t p = 0; p < pixels; ++p) {
      a.context().check();
      for (int64_t c = 0; c < g.in_channels; ++c) {
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t at = c / per_offset * taps + t;
          const int64_t row = p / w.out * h.stride - h.pad_before + t / w.kernel * h.dilation;
          const double y = static_cast<double>(row) + static_cast<double>(offset[2 * at * pixels + p]);
          const double z = static_cast<double>(p % w.out * w.stride - w.pad_before + t % w.kernel * w.dilation) +
                           static_cast<double>(offset[(2 * at + 1) * pixels + p]);
          const double value = bilinear_at(x + c * h.in * w.in, h.in, w.in, y, z);
          const double factor = mask == nullptr ? 1.0 : static_cast<double>(mask[at * pixels + p]);
          columns[static_cast<size_t>(c * taps + t)] = value * factor;
        }
      }
      for (int64_t oc = 0; oc < g.out_channels; ++oc) {
        const double* from = columns.data() + oc / results * channels * taps;
        const T* weights = filter + oc * channels * taps;
        double sum = 0;
        for (int64_t k = 0; k < channels * taps; ++k) sum += from[k] * static_cast<double>(weights[k]);
        a.out(0).data<T>()[(n * g.out_channels + oc) * pixels + p] = static_cast<T>(sum);
      }
    }
  }
}

}  // namespace

void reference(const DeformableConv& op, ReferenceArgs& a) {
  const ConvolutionGeometry g = convolution_geometry(op.convolution(), a.shape(0), a.shape(2), 2);
  visit_float(a.in(0).dtype(), [&](auto* p) { convolve_deformed<std::remove_pointer_t<decltype(p)>>(op, g, a); });
}

}  // namespace coracle::internal
