// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "devices/cpu/epilogue_program.h"
#include "devices/cpu/kernels/rows.h"
#include "ops/common/convolution.h"
#include "ops/conv2d.h"
#include "ops/conv2d_fused.h"
#include "ops/conv2d_transpose.h"
#include "ops/conv2d_transpose_fused.h"
#include "ops/conv3d.h"
#include "ops/conv3d_transpose.h"
#include "ops/depthwise_conv2d.h"

/// What the convolution operators have in common for kernels that take several of them.
namespace coracle::cpu::kernels {

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

/// One filter for each channel.
inline bool is_depthwise(const ConvolutionGeometry& g) {
  return g.groups > 1 && g.groups == g.in_channels && g.groups == g.out_channels;
}

/// Null if the operands lie as the rows by memory order, or those by shape, take them.
template <class Op, bool kByShape>
Misfit fits_any(const void* op_attributes, const ArgFacts& args) {
  const Op& op = *static_cast<const Op*>(op_attributes);
  if (is_channels_last(op.data_format) != kByShape) return "the channels lie elsewhere";
  if (args.out().shape.count() == 0 || args.in(0).shape.count() == 0) return "no elements";
  if constexpr (kFused<Op>) {
    const ConvolutionGeometry g = geometry(op, args);
    return epilogue_misfit(op, args, 2, convolution_result(g, op.data_format, kSpatial<Op>), g.out_channels);
  }
  return nullptr;
}

}  // namespace coracle::cpu::kernels
