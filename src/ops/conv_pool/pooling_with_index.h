// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/pooling.h"

namespace coracle::internal {

/// The largest element of each window, and where it is: its flat index in the channel, int32 (-1 where nothing is
/// larger than the lowest float32). Base of max_pool2d_with_index and its sibling over three dimensions.
template <int kSpatial>
struct PoolingWithIndex {
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("mask", "Mask")};
  Ints kernel_size;
  Ints strides = Ints(kSpatial, 1);
  Ints paddings = Ints(kSpatial, 0);
  bool global_pooling = false;
  bool adaptive = false;
  bool ceil_mode = false;
  void attributes(AttributeVisitor& visit) {
    visit("kernel_size", kernel_size, "ksize");
    visit("strides", strides);
    visit("paddings", paddings);
    visit("global_pooling", global_pooling);
    visit("adaptive", adaptive);
    visit("ceil_mode", ceil_mode);
  }
  PoolingAttributes pooling() const {
    PoolingAttributes p(kSpatial);
    p.strides = strides;
    p.paddings = paddings;
    p.global_pooling = global_pooling;
    p.adaptive = adaptive;
    p.ceil_mode = ceil_mode;
    return p;
  }
  friend bool operator==(const PoolingWithIndex&, const PoolingWithIndex&) = default;
};

template <int kSpatial>
void infer_pooling_with_index(const PoolingWithIndex<kSpatial>& op, InferArgs& a) {
  infer_pooling(op.pooling(), &op.kernel_size, a, kSpatial);
  a.set(1, DType::kInt32, a.out(0).shape);
}

template <int kSpatial>
void reference_pooling_with_index(const PoolingWithIndex<kSpatial>& op, ReferenceArgs& a) {
  reference_pooling_with_index(a.context(), op.pooling(), op.kernel_size, a.in(0), a.out(0),
                               a.wants(1) ? &a.out(1) : nullptr, kSpatial);
}

}  // namespace coracle::internal
