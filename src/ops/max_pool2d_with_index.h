// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/pooling.h"

namespace coracle {

/// The maximum of each window, and where it is: the flat index in its channel, int32 (-1 where nothing is larger than
/// the lowest float32).
struct MaxPool2dWithIndex {
  static constexpr const char* kName = "max_pool2d_with_index";
  static constexpr const char* kLegacy[] = {"max_pool2d_with_index"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("mask", "Mask")};
  Ints kernel_size;
  Ints strides = Ints(2, 1);
  Ints paddings = Ints(2, 0);
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
    PoolingAttributes p(2);
    p.strides = strides;
    p.paddings = paddings;
    p.global_pooling = global_pooling;
    p.adaptive = adaptive;
    p.ceil_mode = ceil_mode;
    return p;
  }
  friend bool operator==(const MaxPool2dWithIndex&, const MaxPool2dWithIndex&) = default;
};

inline void infer(const MaxPool2dWithIndex& op, InferArgs& a) {
  infer_pooling(op.pooling(), &op.kernel_size, a, 2);
  a.set(1, DType::kInt32, a.out(0).shape);
}

inline void reference(const MaxPool2dWithIndex& op, ReferenceArgs& a) {
  reference_pooling_with_index(op.pooling(), op.kernel_size, a.in(0), a.out(0), a.wants(1) ? &a.out(1) : nullptr, 2);
}

inline constexpr const OpRow* max_pool2d_with_index_op = &kOpRow<MaxPool2dWithIndex>;

}  // namespace coracle
