// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/convolution.h"
#include "ops/conv_pool/convolution_lowering.h"

namespace coracle::internal {

/// The gradient of conv2d by its input, with groups = the input channels; filter is [in channels, out channels /
/// groups, spatial...]. The output size is the smallest possible plus output_padding, or output_size where that is
/// given.
struct DepthwiseConv2dTranspose : ConvolutionAttributes {
  static constexpr const char* kName = "depthwise_conv2d_transpose";
  static constexpr const char* kLegacy[] = {"depthwise_conv2d_transpose"};
  static constexpr Port kInputs[] = {in("x", "Input"), weight_in("filter", "Filter"),
                                     shape_in("output_size", "output_size")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  Ints output_padding;
  DepthwiseConv2dTranspose() : ConvolutionAttributes(2) {}
  void attributes(AttributeVisitor& visit) {
    ConvolutionAttributes::attributes(visit);
    visit("output_padding", output_padding);
  }
  static void lower(Lowering& l) { lower_convolution(l, *find_op(kName)); }
  friend bool operator==(const DepthwiseConv2dTranspose&, const DepthwiseConv2dTranspose&) = default;
};

inline void infer(const DepthwiseConv2dTranspose& op, InferArgs& a) {
  const std::optional<Ints> size = a.has(2) ? a.ints(2) : Ints{};
  infer_transposed(op, op.output_padding, size ? &*size : nullptr, a, 2);
}

inline void reference(const DepthwiseConv2dTranspose& op, ReferenceArgs& a) {
  reference_transposed(a.context(), op, a.in(0), a.in(1), a.out(0), 2);
}

inline int64_t flops(const DepthwiseConv2dTranspose&, const NodeFacts& f) { return transposed_flops(f); }

inline constexpr const OpSchema* depthwise_conv2d_transpose_op = &kOpSchema<DepthwiseConv2dTranspose>;

}  // namespace coracle::internal
