// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/common/epilogue.h"
#include "ops/conv_pool/convolution.h"

namespace coracle::internal {

/// conv2d (depthwise too) and what is done to its result right away. With x in float32 the filter may be float16,
/// bfloat16 or int8. Made by rewrites, never found in a file.
struct Conv2dFused : ConvolutionAttributes, Epilogue {
  static constexpr const char* kName = "conv2d_fused";
  static constexpr const char* kFusedOf[] = {"conv2d", "depthwise_conv2d"};
  static constexpr Port kInputs[] = {in("x", ""), weight_in("filter", ""), list_in("tensors", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  Conv2dFused() : ConvolutionAttributes(2) {}
  void attributes(AttributeVisitor& visit) {
    ConvolutionAttributes::attributes(visit);
    Epilogue::attributes(visit);
  }
  friend bool operator==(const Conv2dFused&, const Conv2dFused&) = default;
};

inline void infer(const Conv2dFused& op, InferArgs& a) {
  infer_convolution(op, a, 2, 1, true);
  infer_epilogue(op, a, 2, op.data_format == DataFormat::kNhwc ? -1 : 1);
}

inline void reference(const Conv2dFused& op, ReferenceArgs& a) {
  const ConvolutionGeometry g = convolution_geometry(op, a.shape(0), a.shape(1), 2);
  Tensor product = a.make(a.out(0).dtype(), convolution_result(g, op.data_format, 2));
  reference_convolution(a.context(), op, a.in(0), converted(a.context(), a.in(1), a.in(0).dtype()), product, 2);
  reference_epilogue(op, a, product, 2, op.data_format == DataFormat::kNhwc ? -1 : 1);
}

inline int64_t flops(const Conv2dFused&, const NodeFacts& f) { return convolution_flops(f); }

inline constexpr const OpSchema* conv2d_fused_op = &kOpSchema<Conv2dFused>;

}  // namespace coracle::internal
