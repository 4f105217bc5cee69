// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/epilogue.h"
#include "ops/conv_pool/convolution.h"

namespace coracle::internal {

/// conv2d_transpose without an explicit output size, and what is done to its result right away. Made by rewrites.
struct Conv2dTransposeFused : ConvolutionAttributes, Epilogue {
  static constexpr const char* kName = "conv2d_transpose_fused";
  static constexpr const char* kFusedOf[] = {"conv2d_transpose", "depthwise_conv2d_transpose"};
  static constexpr Port kInputs[] = {in("x", ""), weight_in("filter", ""), list_in("tensors", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  Ints output_padding;
  Conv2dTransposeFused() : ConvolutionAttributes(2) {}
  void attributes(AttributeVisitor& visit) {
    ConvolutionAttributes::attributes(visit);
    visit("output_padding", output_padding);
    Epilogue::attributes(visit);
  }
  friend bool operator==(const Conv2dTransposeFused&, const Conv2dTransposeFused&) = default;
};

inline void infer(const Conv2dTransposeFused& op, InferArgs& a) {
  const Ints no_size;
  infer_transposed(op, op.output_padding, &no_size, a, 2);
  infer_epilogue(op, a, 2, op.data_format == DataFormat::kNhwc ? -1 : 1);
}

inline void reference(const Conv2dTransposeFused& op, ReferenceArgs& a) {
  const ConvolutionGeometry g = transposed_geometry(op, op.output_padding, {}, a.shape(0), a.shape(1), 2);
  Tensor product = a.make(a.out(0).dtype(), convolution_result(g, op.data_format, 2));
  reference_transposed(a.context(), op, a.in(0), a.in(1), product, 2);
  reference_epilogue(op, a, product, 2, op.data_format == DataFormat::kNhwc ? -1 : 1);
}

inline int64_t flops(const Conv2dTransposeFused&, const NodeFacts& f) { return transposed_flops(f); }

inline constexpr const OpSchema* conv2d_transpose_fused_op = &kOpSchema<Conv2dTransposeFused>;

}  // namespace coracle::internal
