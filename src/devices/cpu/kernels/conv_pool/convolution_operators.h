// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/kernels/kernel_table.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/conv_pool/conv3d.h"
#include "ops/conv_pool/conv3d_transpose.h"
#include "ops/conv_pool/convolution.h"
#include "ops/conv_pool/depthwise_conv2d.h"

/// What the convolution operators have in common for kernels that take several of them.
namespace coracle::internal::cpu::kernels {

template <class Op>
constexpr bool kTransposed = std::is_same_v<Op, Conv3dTranspose> || std::is_same_v<Op, Conv2dTranspose> ||
                             std::is_same_v<Op, Conv2dTransposeFused>;
template <class Op>
constexpr int kSpatial = std::is_same_v<Op, Conv3d> || std::is_same_v<Op, Conv3dTranspose> ? 3 : 2;
template <class Op>
constexpr bool kFused = std::is_same_v<Op, Conv2dFused> || std::is_same_v<Op, Conv2dTransposeFused>;

template <class Op>
ConvolutionGeometry geometry(const Op& op, const ArgFacts& args) {
  if constexpr (std::is_same_v<Op, Conv2dTransposeFused>) {
    return transposed_geometry(op, op.output_padding, {}, args.shape(0), args.shape(1), kSpatial<Op>);
  } else if constexpr (std::is_same_v<Op, Conv2dTranspose>) {
    // The size of the result may be an operand.
    ConvolutionGeometry g = transposed_geometry(op, {}, {}, args.shape(0), args.shape(1), kSpatial<Op>);
    const int first = is_channels_last(op.data_format) ? 1 : 2;
    for (int i = 0; i < 2; ++i) g.axes[1 + i].out = args.out().shape[first + i];
    return g;
  } else if constexpr (kTransposed<Op>) {
    return transposed_geometry(op, op.output_padding, op.output_size, args.shape(0), args.shape(1), kSpatial<Op>);
  } else {
    return convolution_geometry(op, args.shape(0), args.shape(1), kSpatial<Op>);
  }
}

/// A convolution as kernels compute it, whatever its operator.
struct ConvolutionNode {
  ConvolutionGeometry geometry;
  DataFormat format = DataFormat::kNchw;
  int spatial = 2;
  bool transposed = false;
  const Epilogue* epilogue = nullptr;  ///< null where the operator has none
};

template <class Op>
ConvolutionNode convolution_of(const void* op_attributes, const ArgFacts& args) {
  const Op& op = *static_cast<const Op*>(op_attributes);
  ConvolutionNode node{
      .geometry = geometry(op, args), .format = op.data_format, .spatial = kSpatial<Op>, .transposed = kTransposed<Op>};
  if constexpr (kFused<Op>) node.epilogue = &op;
  return node;
}

/// Null if the operands lie as the row takes them: a row-major one reads files that put the channels last.
inline RejectionReason order_rejection(DataFormat format, const ArgFacts& args) {
  const bool by_shape = args.kernel().layout == LayoutRule::kRowMajor;
  if (is_channels_last(format) != by_shape) return "the channels lie elsewhere";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  return nullptr;
}

inline RejectionReason convolution_epilogue_rejection(const ConvolutionNode& node, const ArgFacts& args) {
  if (node.epilogue == nullptr) return nullptr;
  const ConvolutionGeometry& g = node.geometry;
  return cpu::epilogue_rejection(*node.epilogue, args, 2, convolution_result(g, node.format, node.spatial),
                                 g.out_channels);
}

inline EpilogueProgram epilogue_program(const ConvolutionNode& node) {
  if (node.epilogue == nullptr) return {};
  return EpilogueProgram(*node.epilogue, node.geometry.out_channels);
}

/// `fits`, `estimate` and `prepare` of a kernel for one operator, from those for all of them.
template <class Op, RejectionReason (*kRejection)(const ConvolutionNode& node, const ArgFacts& args)>
RejectionReason fits_convolution(const void* op, const ArgFacts& args) {
  if (const RejectionReason rejection = order_rejection(static_cast<const Op*>(op)->data_format, args))
    return rejection;
  return kRejection(convolution_of<Op>(op, args), args);
}
template <class Op, std::optional<CostEstimate> (*kCost)(const ConvolutionNode& node, const ArgFacts& args)>
std::optional<CostEstimate> cost_of_convolution(const void* op, const ArgFacts& args) {
  return kCost(convolution_of<Op>(op, args), args);
}
template <class Op, Prepared (*kPrepare)(const ConvolutionNode& node, const ArgFacts& args, PrepareContext& context)>
Prepared prepare_convolution(const void* op, const ArgFacts& args, PrepareContext& context) {
  return kPrepare(convolution_of<Op>(op, args), args, context);
}

}  // namespace coracle::internal::cpu::kernels
