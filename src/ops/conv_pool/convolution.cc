// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/convolution.h"

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "base/counted.h"
#include "base/dtypes.h"
#include "base/long_loop.h"

namespace coracle::internal {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

/// Kernel sizes, dilations, strides and paddings of the last `spatial` axes; `in` is set before.
void set_axes(const ConvolutionAttributes& op, const Shape& filter, int spatial, ConvolutionGeometry& g) {
  const auto n = static_cast<size_t>(spatial);
  const std::span<WindowAxis> axes(g.axes + 3 - spatial, n);
  require(op.dilations.size() == n || op.dilations.size() == 1, "dilations has ", counted(op.dilations.size(), "entry"),
          ", expected ", n);
  for (size_t i = 0; i < n; ++i) {
    WindowAxis& axis = axes[i];
    axis.kernel = filter[static_cast<int>(i) + 2];
    axis.dilation = op.dilations.size() == 1 ? op.dilations[0] : op.dilations[i];
    require(axis.dilation > 0 && axis.dilation < (int64_t{1} << 31), "dilations has ", axis.dilation,
            ", expected a positive number");
    require(axis.kernel != 0, "filter ", filter, " has no elements");
    if (op.padding_algorithm == PaddingAlgorithm::kSame) axis.dilation = 1;
  }
  set_window({op.strides, op.paddings, op.padding_algorithm}, axes);
}

/// Checks ranks and fills batch and the sizes of x.
void set_input(const ConvolutionAttributes& op, const Shape& x, const Shape& filter, int spatial,
               ConvolutionGeometry& g) {
  require(x.rank() == spatial + 2, "x ", x, " has ", counted(x.rank(), "dimension"), ", expected ", spatial + 2);
  require(filter.rank() == spatial + 2, "filter ", filter, " has ", counted(filter.rank(), "dimension"), ", expected ",
          spatial + 2);
  require(op.groups > 0, "groups is ", op.groups, ", expected a positive number");
  const Shape first = to_channels_first(x, op.data_format);
  g.groups = op.groups;
  g.batch = first[0];
  g.in_channels = first[1];
  for (int i = 0; i < spatial; ++i) g.axes[3 - spatial + i].in = first[i + 2];
}

/// Rows of at most this many outputs are accumulated at once.
constexpr int64_t kBlock = 512;

/// Sums of one output row from `begin` on, over all taps of one group.
template <class T>
void accumulate_row(const ConvolutionGeometry& g, const T* x, const T* filter, int64_t channels, int64_t od, int64_t oh,
                    int64_t begin, std::span<double> sums) {
  const WindowAxis& d = g.depth();
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  std::fill(sums.begin(), sums.end(), 0.0);
  const auto end = begin + static_cast<int64_t>(sums.size());
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t td = d.first(od); td < d.last(od); ++td) {
      const int64_t id = od * d.stride - d.pad_before + td * d.dilation;
      for (int64_t th = h.first(oh); th < h.last(oh); ++th) {
        const int64_t ih = oh * h.stride - h.pad_before + th * h.dilation;
        const T* row = x + ((c * d.in + id) * h.in + ih) * w.in;
        const T* taps = filter + ((c * d.kernel + td) * h.kernel + th) * w.kernel;
        for (int64_t tw = 0; tw < w.kernel; ++tw) {
          const int64_t shift = tw * w.dilation - w.pad_before;
          const int64_t from = std::max(begin, shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride);
          const int64_t to = std::min(end, w.in <= shift ? 0 : (w.in - 1 - shift) / w.stride + 1);
          const auto tap = static_cast<double>(taps[tw]);
          const auto at = [begin](int64_t o) { return static_cast<size_t>(o - begin); };
          if (w.stride == 1) {
            for (int64_t o = from; o < to; ++o) sums[at(o)] += tap * static_cast<double>(row[o + shift]);
          } else {
            for (int64_t o = from; o < to; ++o) sums[at(o)] += tap * static_cast<double>(row[o * w.stride + shift]);
          }
        }
      }
    }
  }
}

/// A convolution without spatial extent has one long row.
void merge_pointwise(ConvolutionGeometry& g) {
  for (const WindowAxis& a : g.axes) {
    if (a.kernel != 1 || a.stride != 1 || a.pad_before != 0 || a.pad_after != 0) return;
  }
  WindowAxis all;
  all.in = g.axes[0].in * g.axes[1].in * g.axes[2].in;
  all.out = all.in;
  g.axes[0] = g.axes[1] = WindowAxis{};
  g.axes[2] = all;
}

template <class T>
void convolve(const RunContext& context, const ConvolutionGeometry& g, const T* x, const T* filter, T* y) {
  const int64_t channels = g.in_channels / g.groups;
  const int64_t results = g.out_channels / g.groups;
  const int64_t image = g.axes[0].in * g.axes[1].in * g.axes[2].in;
  const int64_t taps = channels * g.axes[0].kernel * g.axes[1].kernel * g.axes[2].kernel;
  const int64_t width = g.width().out;
  Buffer<double> sums(static_cast<size_t>(std::min(width, kBlock)), context);
  LoopCheck check(context);
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t oc = 0; oc < g.out_channels; ++oc) {
      const T* from = x + (n * g.in_channels + oc / results * channels) * image;
      for (int64_t od = 0; od < g.depth().out; ++od) {
        for (int64_t oh = 0; oh < g.height().out; ++oh) {
          for (int64_t begin = 0; begin < width; begin += kBlock) {
            check.step(taps * static_cast<int64_t>(sums.size()));
            const std::span row(sums.data(), static_cast<size_t>(std::min(kBlock, width - begin)));
            accumulate_row(g, from, filter + oc * taps, channels, od, oh, begin, row);
            for (double s : row) *y++ = static_cast<T>(s);
          }
        }
      }
    }
  }
}

/// y of one image and group, into sums [out channels of the group, depth, height, width].
template <class T>
void scatter_group(const RunContext& context, const ConvolutionGeometry& g, const T* x, const T* filter,
                   int64_t channels, int64_t results, double* sums) {
  const WindowAxis& d = g.depth();
  const WindowAxis& h = g.height();
  const WindowAxis& w = g.width();
  LoopCheck check(context);
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t id = 0; id < d.in; ++id) {
      for (int64_t ih = 0; ih < h.in; ++ih) {
        const T* row = x + ((c * d.in + id) * h.in + ih) * w.in;
        for (int64_t oc = 0; oc < results; ++oc) {
          check.step(d.kernel * h.kernel * w.kernel * w.in);
          const T* taps = filter + (c * results + oc) * d.kernel * h.kernel * w.kernel;
          for (int64_t td = 0; td < d.kernel; ++td) {
            const int64_t od = id * d.stride - d.pad_before + td * d.dilation;
            if (od < 0 || od >= d.out) continue;
            for (int64_t th = 0; th < h.kernel; ++th) {
              const int64_t oh = ih * h.stride - h.pad_before + th * h.dilation;
              if (oh < 0 || oh >= h.out) continue;
              double* to = sums + ((oc * d.out + od) * h.out + oh) * w.out;
              for (int64_t tw = 0; tw < w.kernel; ++tw) {
                const auto tap = static_cast<double>(taps[(td * h.kernel + th) * w.kernel + tw]);
                const int64_t shift = tw * w.dilation - w.pad_before;
                const int64_t begin = shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
                const int64_t end = std::min(w.in, w.out <= shift ? 0 : (w.out - 1 - shift) / w.stride + 1);
                for (int64_t i = begin; i < end; ++i) to[i * w.stride + shift] += tap * static_cast<double>(row[i]);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace

ConvolutionGeometry convolution_geometry(const ConvolutionAttributes& op, const Shape& x, const Shape& filter,
                                         int spatial) {
  ConvolutionGeometry g;
  set_input(op, x, filter, spatial, g);
  set_axes(op, filter, spatial, g);
  g.out_channels = filter[0];
  require(filter[0] < 0 || filter[0] % g.groups == 0, "filter ", filter, " does not divide into ",
          counted(g.groups, "group"));
  require(g.in_channels < 0 || filter[1] < 0 || g.in_channels == checked_multiply(filter[1], g.groups), "x ", x,
          " has ", counted(g.in_channels, "channel"), ", filter ", filter, " with ", counted(g.groups, "group"),
          " expects ", filter[1] * g.groups);
  for (int i = 3 - spatial; i < 3; ++i) {
    WindowAxis& a = g.axes[i];
    if (a.in < 0 || a.kernel < 0) {
      a.out = kUnknown;
      continue;
    }
    const int64_t span = checked_add(checked_multiply(a.dilation, a.kernel - 1), 1);
    const int64_t room = checked_add(a.in, a.pad_before + a.pad_after) - span;
    // The quotient is truncated, as Paddle's: a filter that is larger than x by less than a stride still gives one
    // element.
    a.out = room / a.stride + 1;
    if (a.in == 0) a.out = std::max<int64_t>(a.out, 0);
    require(a.out > 0 || a.in == 0, "filter ", filter, " does not fit into x ", x, " with its padding");
  }
  return g;
}

ConvolutionGeometry transposed_geometry(const ConvolutionAttributes& op, const Ints& output_padding,
                                        const Ints& output_size, const Shape& x, const Shape& filter, int spatial) {
  ConvolutionGeometry g;
  set_input(op, x, filter, spatial, g);
  set_axes(op, filter, spatial, g);
  const auto n = static_cast<size_t>(spatial);
  require(output_padding.empty() || output_padding.size() == n, "output_padding has ",
          counted(output_padding.size(), "entry"), ", expected ", n);
  require(output_size.empty() || output_size.size() == n, "output_size has ", counted(output_size.size(), "entry"),
          ", expected ", n);
  require(g.in_channels < 0 || filter[0] < 0 || g.in_channels == filter[0], "x ", x, " has ",
          counted(g.in_channels, "channel"), ", filter ", filter, " expects ", filter[0]);
  require(filter[0] < 0 || filter[0] % g.groups == 0, "filter ", filter, " does not divide into ",
          counted(g.groups, "group"));
  g.out_channels = filter[1] < 0 ? kUnknown : checked_multiply(filter[1], g.groups);
  for (size_t i = 0; i < n; ++i) {
    WindowAxis& a = g.axes[3 - n + i];
    if (a.in < 0 || a.kernel < 0) {
      a.out = output_size.empty() ? kUnknown : output_size[i];
      continue;
    }
    const int64_t span = checked_add(checked_multiply(a.dilation, a.kernel - 1), 1);
    const int64_t full = checked_add(checked_multiply(a.in - 1, a.stride), span);
    a.out = std::max<int64_t>(full - a.pad_before - a.pad_after, 0);
    if (!output_size.empty()) {
      require(output_size[i] >= a.out && output_size[i] < a.out + a.stride, "output_size has ", output_size[i],
              ", expected at least ", a.out, " and less than ", a.out + a.stride);
      a.out = output_size[i];
    } else if (!output_padding.empty()) {
      require(output_padding[i] >= 0 && output_padding[i] < std::max(a.stride, a.dilation), "output_padding has ",
              output_padding[i], ", expected less than the stride or the dilation");
      a.out += output_padding[i];
    }
  }
  return g;
}

Shape convolution_result(const ConvolutionGeometry& g, DataFormat format, int spatial) {
  Shape y{g.batch, g.out_channels};
  for (int i = 3 - spatial; i < 3; ++i) y.push_back(g.axes[i].out);
  return from_channels_first(y, format);
}

namespace {

/// Element types, and ranks where they are known. False where a rank is not.
bool check_operands(InferArgs& a, int spatial, int filter_port, bool narrow_filter = false) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  const DType filter = a.dtype(filter_port);
  const bool narrow = narrow_filter && a.dtype(0) == DType::kFloat32 && (kHalfTypes | DType::kInt8).has(filter);
  require(a.dtype(0) == filter || narrow, "x is ", a.dtype(0), ", but filter is ", filter);
  if (a.shape(0).rank_known() && a.shape(filter_port).rank_known()) return true;
  a.set(0, a.dtype(0), Shape::filled(spatial + 2, kUnknown));
  return false;
}

}  // namespace

void infer_convolution(const ConvolutionAttributes& op, InferArgs& a, int spatial, int filter_port,
                       bool narrow_filter) {
  if (!check_operands(a, spatial, filter_port, narrow_filter)) return;
  const ConvolutionGeometry g = convolution_geometry(op, a.shape(0), a.shape(filter_port), spatial);
  a.set(0, a.dtype(0), convolution_result(g, op.data_format, spatial));
}

void infer_transposed(const ConvolutionAttributes& op, const Ints& output_padding, const Ints* output_size,
                      InferArgs& a, int spatial) {
  if (!check_operands(a, spatial, 1)) return;
  ConvolutionGeometry g = transposed_geometry(op, output_padding, output_size == nullptr ? Ints{} : *output_size,
                                              a.shape(0), a.shape(1), spatial);
  if (output_size == nullptr) {
    for (int i = 3 - spatial; i < 3; ++i) g.axes[i].out = kUnknown;
  }
  a.set(0, a.dtype(0), convolution_result(g, op.data_format, spatial));
}

void reference_convolution(const RunContext& context, const ConvolutionAttributes& op, const Tensor& x,
                           const Tensor& filter, Tensor& y, int spatial) {
  ConvolutionGeometry g = convolution_geometry(op, x.shape(), filter.shape(), spatial);
  if (y.count() == 0) return;
  merge_pointwise(g);
  const Tensor from = to_channels_first(context, x, op.data_format);
  Tensor to = channels_first_like(context, y, op.data_format);
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    convolve(context, g, from.data<T>(), filter.data<T>(), to.data<T>());
  });
  store_channels_first(to, op.data_format, y);
}

void reference_transposed(const RunContext& context, const ConvolutionAttributes& op, const Tensor& x,
                          const Tensor& filter, Tensor& y, int spatial) {
  ConvolutionGeometry g = transposed_geometry(op, {}, {}, x.shape(), filter.shape(), spatial);
  if (y.count() == 0) return;
  const Tensor from = to_channels_first(context, x, op.data_format);
  Tensor to = channels_first_like(context, y, op.data_format);
  for (int i = 0; i < spatial; ++i) g.axes[3 - spatial + i].out = to.shape()[i + 2];
  const int64_t channels = g.in_channels / g.groups;
  const int64_t results = g.out_channels / g.groups;
  const int64_t in = g.axes[0].in * g.axes[1].in * g.axes[2].in;
  const int64_t out = g.axes[0].out * g.axes[1].out * g.axes[2].out;
  const int64_t taps = g.axes[0].kernel * g.axes[1].kernel * g.axes[2].kernel;
  Buffer<double> sums(static_cast<size_t>(results * out), context);
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t n = 0; n < g.batch; ++n) {
      for (int64_t group = 0; group < g.groups; ++group) {
        std::fill(sums.begin(), sums.end(), 0.0);
        scatter_group(context, g, from.data<T>() + (n * g.in_channels + group * channels) * in,
                      filter.data<T>() + group * channels * results * taps, channels, results, sums.data());
        T* image = to.data<T>() + (n * g.out_channels + group * results) * out;
        for (size_t i = 0; i < sums.size(); ++i) image[i] = static_cast<T>(sums[i]);
      }
    }
  });
  store_channels_first(to, op.data_format, y);
}

int64_t convolution_flops(const NodeFacts& f) {
  const Shape& filter = f.shape(1);
  return 2 * f.out().shape.count() * filter.count(1, filter.rank());
}

int64_t transposed_flops(const NodeFacts& f) {
  const Shape& filter = f.shape(1);
  return 2 * f.shape(0).count() * filter.count(1, filter.rank());
}

}  // namespace coracle::internal
