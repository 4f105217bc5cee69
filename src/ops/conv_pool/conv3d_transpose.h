// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/convolution.h"
#include "ops/conv_pool/convolution_lowering.h"

namespace coracle::internal {

/// The gradient of conv3d by its input; filter is [in channels, out channels / groups, spatial...]. The output size
/// is the smallest possible plus output_padding, or output_size where that is given.
struct Conv3dTranspose : ConvolutionAttributes {
  static constexpr const char* kName = "conv3d_transpose";
  static constexpr const char* kLegacy[] = {"conv3d_transpose"};
  static constexpr Port kInputs[] = {in("x", "Input"), weight_in("filter", "Filter")};
  static constexpr Port kOutputs[] = {out("out", "Output")};
  Ints output_padding;
  Ints output_size;
  Conv3dTranspose() : ConvolutionAttributes(3) {}
  void attributes(AttributeVisitor& visit) {
    ConvolutionAttributes::attributes(visit);
    visit("output_padding", output_padding);
    visit("output_size", output_size);
  }
  static void lower(Lowering& l) { lower_convolution(l, *find_op(kName)); }
  friend bool operator==(const Conv3dTranspose&, const Conv3dTranspose&) = default;
};

inline void infer(const Conv3dTranspose& op, InferArgs& a) {
  infer_transposed(op, op.output_padding, &op.output_size, a, 3);
}

inline void reference(const Conv3dTranspose& op, ReferenceArgs& a) {
  reference_transposed(a.context(), op, a.in(0), a.in(1), a.out(0), 3);
}

inline int64_t flops(const Conv3dTranspose&, const NodeFacts& f) { return transposed_flops(f); }

inline constexpr const OpSchema* conv3d_transpose_op = &kOpSchema<Conv3dTranspose>;

}  // namespace coracle::internal
