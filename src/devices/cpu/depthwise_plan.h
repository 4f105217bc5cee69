// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/tensor.h"
#include "base/thread_pool.h"
#include "devices/cpu/isa/depthwise.h"
#include "ops/conv_pool/convolution.h"

namespace coracle::internal::cpu {

/// Packed weights of a convolution with one filter for each channel (see DepthwiseFunctions).
struct DepthwiseForm {
  static constexpr std::string_view kLayout = "depthwise.channels.v1";

  int64_t isa = 0;
  int64_t taps = 0;
  int64_t channels = 0;

  DepthwiseForm(Isa i, int64_t t, int64_t c) : isa(static_cast<int64_t>(i)), taps(t), channels(c) {}
  size_t bytes() const { return static_cast<size_t>(table().packed_floats(taps, channels)) * sizeof(float); }
  void pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool&) const {
    table().pack(constants[0]->data<float>(), taps, channels, reinterpret_cast<float*>(to));
  }

 private:
  const DepthwiseFunctions& table() const { return depthwise_table(static_cast<Isa>(isa)); }
};

/// The sizes of such a convolution of dense channels-last images.
inline DepthwiseCall depthwise_call(const ConvolutionGeometry& g, const DepthwiseFunctions& functions) {
  DepthwiseCall c;
  c.channels = c.in_stride = c.out_stride = g.in_channels;
  c.weight_step = functions.packed_floats(1, c.channels);
  c.in_h = g.height().in;
  c.in_w = g.width().in;
  c.out_h = g.height().out;
  c.out_w = g.width().out;
  c.kernel_h = g.height().kernel;
  c.kernel_w = g.width().kernel;
  c.stride_y = g.height().stride;
  c.stride_x = g.width().stride;
  c.dilation_y = g.height().dilation;
  c.dilation_x = g.width().dilation;
  c.pad_top = g.height().pad_before;
  c.pad_left = g.width().pad_before;
  return c;
}

/// Computes all `rows` of the result, counted through all images of the batch, on all threads.
void run_whole_depthwise(const DepthwiseFunctions& functions, const DepthwiseCall& call, int64_t rows,
                         ThreadPool& pool) noexcept;

}  // namespace coracle::internal::cpu
