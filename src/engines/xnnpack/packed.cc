// SPDX-License-Identifier: Apache-2.0
#include "packed.h"

#include <vector>

#include "int8_channel.h"
#include "strided_copy.h"

namespace coracle_xnnpack {
namespace {

/// The filter of a convolution, [groups * outputs, inputs, taps], with the channels last, as XNNPACK wants it; of a
/// transposed one, [groups * inputs, outputs, taps], or a product with its input channels last.
template <class T>
std::vector<T> channels_last(const Packed& p) {
  const auto groups = static_cast<int64_t>(p.groups);
  const auto inputs = static_cast<int64_t>(p.inputs);
  const auto outputs = static_cast<int64_t>(p.outputs);
  const auto taps = static_cast<int64_t>(p.taps());
  const bool inputs_first = p.kind == Packed::Kind::kTransposed || p.kind == Packed::Kind::kInt8Product;
  const int64_t each = inputs * outputs * taps;
  StridedCopy order;
  order.axes = {{groups, each, each},
                {outputs, inputs_first ? taps : inputs * taps, taps * inputs},
                {taps, 1, inputs},
                {inputs, inputs_first ? outputs * taps : taps, 1}};
  order.element_bytes = sizeof(T);
  order.simplify();
  std::vector<T> stored(static_cast<size_t>(groups * each));
  order.run(p.filter, stored.data(), nullptr);
  return stored;
}

xnn_status create_int8(const Packed& p, xnn_operator_t* made) {
  const size_t inputs = p.groups * p.inputs;
  const size_t outputs = p.groups * p.outputs;
  std::vector<int8_t> filter = channels_last<int8_t>(p);
  std::vector<float> scales;
  std::vector<int32_t> biases;
  const size_t each = p.inputs * p.taps();
  for (size_t c = 0; c < outputs; ++c) {
    const Int8Channel channel = int8_channel(p.factor[c], p.bias == nullptr ? 0 : p.bias[c], p.step, each);
    scales.push_back(channel.scale);
    biases.push_back(channel.bias);
    if (channel.sign == 1) continue;
    for (size_t i = c * each; i < (c + 1) * each; ++i) filter[i] = static_cast<int8_t>(filter[i] * channel.sign);
  }
  return xnn_create_convolution2d_nhwc_qc8(p.before[0], p.after[1], p.after[0], p.before[1], p.kernel[0], p.kernel[1],
                                           p.stride[0], p.stride[1], p.dilation[0], p.dilation[1], p.groups, p.inputs,
                                           p.outputs, inputs, outputs, /*input_zero_point=*/0, /*input_scale=*/1.0F,
                                           scales.data(), filter.data(), biases.data(), /*output_zero_point=*/0, p.step,
                                           static_cast<int8_t>(p.low), static_cast<int8_t>(p.high), p.flags, made);
}

}  // namespace

xnn_status create(const Packed& p, xnn_operator_t* made) {
  if (p.of_int8()) return create_int8(p, made);
  const size_t inputs = p.groups * p.inputs;
  const size_t outputs = p.groups * p.outputs;
  if (p.kind == Packed::Kind::kProduct) {
    return xnn_create_fully_connected_nc_f32(inputs, outputs, inputs, outputs, static_cast<const float*>(p.filter),
                                             p.bias, p.low, p.high, p.flags, made);
  }
  std::vector<float> stored;
  const auto* filter = static_cast<const float*>(p.filter);
  const bool transposed = p.kind == Packed::Kind::kTransposed;
  if (transposed ? p.outputs * p.taps() != 1 : p.inputs != 1 && p.taps() != 1) {
    stored = channels_last<float>(p);
    filter = stored.data();
  }
  const auto make = transposed ? xnn_create_deconvolution2d_nhwc_f32 : xnn_create_convolution2d_nhwc_f32;
  return make(p.before[0], p.after[1], p.after[0], p.before[1], p.kernel[0], p.kernel[1], p.stride[0], p.stride[1],
              p.dilation[0], p.dilation[1], p.groups, p.inputs, p.outputs, inputs, outputs, filter, p.bias, p.low,
              p.high, p.flags, made);
}

}  // namespace coracle_xnnpack
