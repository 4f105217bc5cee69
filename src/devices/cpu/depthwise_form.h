// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/tensor.h"
#include "base/thread_pool.h"
#include "devices/cpu/isa/depthwise.h"

namespace coracle::cpu {

/// Packed weights of a convolution with one filter for each channel (see DepthwiseFunctions).
struct DepthwiseForm {
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

}  // namespace coracle::cpu
