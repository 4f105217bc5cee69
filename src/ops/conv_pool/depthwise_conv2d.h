// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/convolution.h"
#include "ops/conv_pool/convolution_lowering.h"

namespace coracle::internal {

/// conv2d whose groups are the input channels (as the file says; nothing depends on it).
struct DepthwiseConv2d : ConvolutionAttributes {
  static constexpr const char* kName = "depthwise_conv2d";
  static constexpr const char* kLegacy[] = {"depthwise_conv2d"};
  static constexpr Port kInputs[] = {in("x", "Input"), weight_in("filter", "Filter")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  DepthwiseConv2d() : ConvolutionAttributes(2) {}
  static void lower(Lowering& l) { lower_convolution(l, *find_op(kName)); }
  friend bool operator==(const DepthwiseConv2d&, const DepthwiseConv2d&) = default;
};

inline void infer(const DepthwiseConv2d& op, InferArgs& a) { infer_convolution(op, a, 2); }

inline void reference(const DepthwiseConv2d& op, ReferenceArgs& a) {
  reference_convolution(a.context(), op, a.in(0), a.in(1), a.out(0), 2);
}

inline int64_t flops(const DepthwiseConv2d&, const NodeFacts& f) { return convolution_flops(f); }

inline constexpr const OpSchema* depthwise_conv2d_op = &kOpSchema<DepthwiseConv2d>;

}  // namespace coracle::internal
