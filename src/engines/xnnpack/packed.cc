// SPDX-License-Identifier: Apache-2.0
#include "packed.h"

#include <vector>

#include "strided_copy.h"

namespace coracle_xnnpack {
namespace {

/// The filter of a convolution, [groups * outputs, inputs, taps], with the channels last, as XNNPACK wants it; of a
/// transposed one, [groups * inputs, outputs, taps], with its input channels last.
std::vector<float> channels_last(const Packed& p) {
  const auto groups = static_cast<int64_t>(p.groups);
  const auto inputs = static_cast<int64_t>(p.inputs);
  const auto outputs = static_cast<int64_t>(p.outputs);
  const auto taps = static_cast<int64_t>(p.taps());
  const bool transposed = p.kind == Packed::Kind::kTransposed;
  const int64_t each = inputs * outputs * taps;
  StridedCopy order;
  order.axes = {{groups, each, each},
                {outputs, transposed ? taps : inputs * taps, taps * inputs},
                {taps, 1, inputs},
                {inputs, transposed ? outputs * taps : taps, 1}};
  order.simplify();
  std::vector<float> stored(static_cast<size_t>(groups * each));
  order.run(p.filter, stored.data(), nullptr);
  return stored;
}

}  // namespace

xnn_status create(const Packed& p, xnn_operator_t* made) {
  const size_t inputs = p.groups * p.inputs;
  const size_t outputs = p.groups * p.outputs;
  if (p.kind == Packed::Kind::kProduct) {
    return xnn_create_fully_connected_nc_f32(inputs, outputs, inputs, outputs, p.filter, p.bias, p.low, p.high, p.flags,
                                             made);
  }
  std::vector<float> stored;
  const float* filter = p.filter;
  const bool transposed = p.kind == Packed::Kind::kTransposed;
  if (transposed ? p.outputs * p.taps() != 1 : p.inputs != 1 && p.taps() != 1) {
    stored = channels_last(p);
    filter = stored.data();
  }
  const auto make = transposed ? xnn_create_deconvolution2d_nhwc_f32 : xnn_create_convolution2d_nhwc_f32;
  return make(p.before[0], p.after[1], p.after[0], p.before[1], p.kernel[0], p.kernel[1], p.stride[0], p.stride[1],
              p.dilation[0], p.dilation[1], p.groups, p.inputs, p.outputs, inputs, outputs, filter, p.bias, p.low,
              p.high, p.flags, made);
}

}  // namespace coracle_xnnpack
