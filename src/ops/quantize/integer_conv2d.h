// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/conv_pool/convolution.h"
#include "ops/quantize/integer_product.h"

namespace coracle::internal {

/// conv2d_fused of integers; `transposed`: conv2d_transpose_fused, without output padding.
struct IntegerConv2d : ConvolutionAttributes, IntegerProduct {
  static constexpr const char* kName = "integer_conv2d";
  static constexpr bool kQuantizes = true;
  static constexpr Port kInputs[] = {in("x", ""), weight_in("filter", ""), list_in("tensors", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  bool transposed = false;
  IntegerConv2d() : ConvolutionAttributes(2) {}
  void attributes(AttributeVisitor& visit) {
    ConvolutionAttributes::attributes(visit);
    visit("transposed", transposed);
    IntegerProduct::attributes(visit);
  }
  ConvolutionGeometry geometry(const Shape& x, const Shape& filter) const {
    return transposed ? transposed_geometry(*this, {}, {}, x, filter, 2) : convolution_geometry(*this, x, filter, 2);
  }
  friend bool operator==(const IntegerConv2d&, const IntegerConv2d&) = default;
};

inline void infer(const IntegerConv2d& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  const Shape& filter = a.shape(1);
  require(!filter.rank_known() || filter.rank() == 4, "filter has shape ", filter, ", expected 4 dimensions");
  require(!x.rank_known() || x.rank() == 4, "x has shape ", x, ", expected 4 dimensions");
  Shape result = Shape::filled(4, Shape::kUnknown);
  if (x.rank_known() && filter.rank_known()) {
    result = convolution_result(op.geometry(x, filter), op.data_format, 2);
  }
  infer_integer_product(op, a, result, op.data_format == DataFormat::kNhwc ? -1 : 1);
}

inline void reference(const IntegerConv2d& op, ReferenceArgs& a) {
  const ConvolutionGeometry g = op.geometry(a.shape(0), a.shape(1));
  Tensor sums = a.make(DType::kFloat64, convolution_result(g, op.data_format, 2));
  const auto product = op.transposed ? reference_transposed : reference_convolution;
  product(a.context(), op, exact_integers(a.context(), a.in(0)), exact_integers(a.context(), a.in(1)), sums, 2);
  reference_integer_product(op, a, sums, op.data_format == DataFormat::kNhwc ? -1 : 1);
}

inline int64_t flops(const IntegerConv2d& op, const NodeFacts& f) {
  return op.transposed ? transposed_flops(f) : convolution_flops(f);
}

inline constexpr const OpSchema* integer_conv2d_op = &kOpSchema<IntegerConv2d>;

}  // namespace coracle::internal
