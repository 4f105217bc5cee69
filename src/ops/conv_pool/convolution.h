// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/common/data_format.h"
#include "ops/conv_pool/window.h"

namespace coracle::internal {

/// Attributes of every convolution; a base of the operators' structs.
struct ConvolutionAttributes {
  Ints strides;
  Ints paddings;
  PaddingAlgorithm padding_algorithm = PaddingAlgorithm::kExplicit;
  Ints dilations;
  int groups = 1;
  DataFormat data_format = DataFormat::kNchw;

  ConvolutionAttributes() = default;
  explicit ConvolutionAttributes(size_t spatial) : strides(spatial, 1), paddings(spatial, 0), dilations(spatial, 1) {}
  void attributes(AttributeVisitor& visit) {
    visit("strides", strides);
    visit("paddings", paddings);
    visit("padding_algorithm", padding_algorithm);
    visit("dilations", dilations);
    visit("groups", groups);
    visit("data_format", data_format);
  }
  friend bool operator==(const ConvolutionAttributes&, const ConvolutionAttributes&) = default;
};

/// Sizes of one convolution, whatever its number of spatial dimensions: axes are depth, height, width, the ones that do
/// not exist are 1. Unknown sizes are Shape::kUnknown. Channel numbers are those of the whole tensor.
struct ConvolutionGeometry {
  int64_t batch = 1;
  int64_t in_channels = 1;
  int64_t out_channels = 1;
  int64_t groups = 1;
  WindowAxis axes[3];
  const WindowAxis& depth() const { return axes[0]; }
  const WindowAxis& height() const { return axes[1]; }
  const WindowAxis& width() const { return axes[2]; }
};

/// Geometry of y = conv(x, filter) with filter [out channels, in channels / groups, spatial...] and `spatial` (2 or 3)
/// spatial dimensions. Validates everything; throws Error. The ranks must be known, dimensions need not be.
ConvolutionGeometry convolution_geometry(const ConvolutionAttributes& op, const Shape& x, const Shape& filter,
                                         int spatial);

/// The same for the transposed convolution with filter [in channels, out channels / groups, spatial...]: axes describe
/// the convolution it is the gradient of, with `in` and `out` named after this operator's operands
/// (x has `in` elements, the result `out`). `output_size` may be empty.
ConvolutionGeometry transposed_geometry(const ConvolutionAttributes& op, const Ints& output_padding,
                                        const Ints& output_size, const Shape& x, const Shape& filter, int spatial);

/// Shape of the result in the operator's data format.
Shape convolution_result(const ConvolutionGeometry& g, DataFormat format, int spatial);

/// Each result is a sum over the filter [out, in / groups, kernel...] of its channel.
int64_t convolution_flops(const NodeFacts& f);
/// Each element of x goes to as many results as the filter [in, out / groups, kernel...] has for its channel.
int64_t transposed_flops(const NodeFacts& f);

/// Output 0 of a convolution whose operand 0 is x and whose operand `filter_port` is the filter. With `narrow_filter`
/// the filter of a float32 image may be of 16 bits or int8.
void infer_convolution(const ConvolutionAttributes& op, InferArgs& a, int spatial, int filter_port = 1,
                       bool narrow_filter = false);
/// `output_size` is null while it is not known.
void infer_transposed(const ConvolutionAttributes& op, const Ints& output_padding, const Ints* output_size,
                      InferArgs& a, int spatial);

/// Double accumulation in the order channel, depth, height, width of the filter.
void reference_convolution(const RunContext& context, const ConvolutionAttributes& op, const Tensor& x,
                           const Tensor& filter, Tensor& y, int spatial);
void reference_transposed(const RunContext& context, const ConvolutionAttributes& op, const Tensor& x,
                          const Tensor& filter, Tensor& y, int spatial);

}  // namespace coracle::internal
