// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"
#include "engines/openvino/network.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/conv_pool/conv3d.h"
#include "ops/conv_pool/conv3d_transpose.h"
#include "ops/conv_pool/depthwise_conv2d.h"
#include "ops/conv_pool/depthwise_conv2d_transpose.h"

namespace coracle::internal::openvino {
namespace {

/// What a window does along each of its axes, as lists of attributes.
struct Windows {
  Ints strides;
  Ints dilations;
  Ints before;
  Ints after;
};

Windows windows_of(const ConvolutionGeometry& g, int spatial) {
  Windows w;
  for (int i = 3 - spatial; i < 3; ++i) {
    const WindowAxis& a = g.axes[i];
    w.strides.push_back(a.stride);
    w.dilations.push_back(a.dilation);
    w.before.push_back(a.pad_before);
    w.after.push_back(a.pad_after);
  }
  return w;
}

/// The filter, its first dimension divided into groups where there are several.
Wire filter_of(Emitter& e, int64_t groups, int axis) {
  Shape shape = e.shape(1);
  if (groups == 1) return e.weights(1, axis, shape);
  shape[0] /= groups;
  shape.insert(0, groups);
  // Groups of a transposed convolution share the steps of their channels.
  return axis == 0 ? e.weights(1, axis, shape) : e.constant(e.elements(1), shape);
}

void finish(Emitter& e, Wire y, DataFormat format, const Epilogue* steps) {
  const int rank = e.shape(0).rank();
  y = e.from_channels_first(y, format, rank);
  e.set(steps == nullptr ? y : e.epilogue(y, *steps, 2, format, rank));
}

void convolution(Emitter& e, const ConvolutionAttributes& op, const Epilogue* steps) {
  const int spatial = e.shape(0).rank() - 2;
  const ConvolutionGeometry g = convolution_geometry(op, e.shape(0), e.shape(1), spatial);
  Windows w = windows_of(g, spatial);
  for (int i = 0; i < spatial; ++i) {
    // A filter that reaches out by less than a stride still gives one element.
    const WindowAxis& a = g.axes[3 - spatial + i];
    const int64_t missing = a.span() - (a.in + a.pad_before + a.pad_after);
    if (missing > 0) w.after[static_cast<size_t>(i)] += missing;
  }
  const Wire x = e.channels_first(e.in(0), op.data_format, e.shape(0).rank());
  const Wire y = e.plain(g.groups == 1 ? "Convolution" : "GroupConvolution", {x, filter_of(e, g.groups, 0)},
                         {{"strides", list_text(w.strides)},
                          {"dilations", list_text(w.dilations)},
                          {"pads_begin", list_text(w.before)},
                          {"pads_end", list_text(w.after)},
                          {"auto_pad", "explicit"}});
  finish(e, y, op.data_format, steps);
}

void transposed(Emitter& e, const ConvolutionAttributes& op, const Ints& output_padding, const Ints& size,
                const Epilogue* steps) {
  const int spatial = e.shape(0).rank() - 2;
  const ConvolutionGeometry g = transposed_geometry(op, output_padding, size, e.shape(0), e.shape(1), spatial);
  const Windows w = windows_of(g, spatial);
  Ints more;
  for (int i = 3 - spatial; i < 3; ++i) {
    const WindowAxis& a = g.axes[i];
    more.push_back(a.out - ((a.in - 1) * a.stride + a.span() - a.pad_before - a.pad_after));
    if (more.back() < 0 || more.back() >= a.stride)
      refuse("its result has ", counted(a.out, "element"), " along an axis");
  }
  const Wire x = e.channels_first(e.in(0), op.data_format, e.shape(0).rank());
  const Wire y = e.plain(g.groups == 1 ? "ConvolutionBackpropData" : "GroupConvolutionBackpropData",
                         {x, filter_of(e, g.groups, 1)},
                         {{"strides", list_text(w.strides)},
                          {"dilations", list_text(w.dilations)},
                          {"pads_begin", list_text(w.before)},
                          {"pads_end", list_text(w.after)},
                          {"output_padding", list_text(more)},
                          {"auto_pad", "explicit"}});
  finish(e, y, op.data_format, steps);
}

template <class T>
void emit_convolution(Emitter& e) {
  const T& op = e.as<T>();
  if constexpr (std::is_base_of_v<Epilogue, T>) {
    convolution(e, op, &op);
  } else {
    convolution(e, op, nullptr);
  }
}

template <class T>
void emit_transposed(Emitter& e) {
  const T& op = e.as<T>();
  if constexpr (std::is_base_of_v<Epilogue, T>) {
    transposed(e, op, op.output_padding, {}, &op);
  } else {
    if constexpr (requires { op.output_size; }) {
      transposed(e, op, op.output_padding, op.output_size, nullptr);
    } else {
      transposed(e, op, op.output_padding, e.ints(2), nullptr);
    }
  }
}

std::string refuse_filter(const Question& q) {
  return q.facts.value(1) == nullptr ? "its filter is known in a run only, it must be constant" : "";
}

constexpr Converter kConvolution[] = {
    {conv2d_op, kFloat, kFloat, emit_convolution<Conv2d>, refuse_filter},
    {depthwise_conv2d_op, kFloat, kFloat, emit_convolution<DepthwiseConv2d>, refuse_filter},
    {conv2d_fused_op, kFloat, kFloat, emit_convolution<Conv2dFused>, refuse_filter},
    {conv3d_op, kFloat, kFloat, emit_convolution<Conv3d>, refuse_filter},
    {conv2d_transpose_op, kFloat, kFloat, emit_transposed<Conv2dTranspose>, refuse_filter},
    {depthwise_conv2d_transpose_op, kFloat, kFloat, emit_transposed<DepthwiseConv2dTranspose>, refuse_filter},
    {conv2d_transpose_fused_op, kFloat, kFloat, emit_transposed<Conv2dTransposeFused>, refuse_filter},
    {conv3d_transpose_op, kFloat, kFloat, emit_transposed<Conv3dTranspose>, refuse_filter},
};

}  // namespace

extern const ConverterTable convert_convolution;
const ConverterTable convert_convolution{kConvolution};

}  // namespace coracle::internal::openvino
