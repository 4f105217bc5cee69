// SPDX-License-Identifier: Apache-2.0
#include "ops/conv_pool/pooling.h"

#include <algorithm>
#include <limits>

#include "base/convert.h"
#include "base/counted.h"
#include "base/long_loop.h"

namespace coracle::internal {

std::span<const std::string_view> names_of(PoolingType) {
  static constexpr std::string_view kNames[] = {"max", "avg", "lp"};
  return kNames;
}

PoolingGeometry pooling_geometry(const PoolingAttributes& op, const Ints& kernel, const Shape& x, int spatial) {
  const auto n = static_cast<size_t>(spatial);
  require(x.rank() == spatial + 2, "x ", x, " has ", counted(x.rank(), "dimension"), ", expected ", spatial + 2);
  require(op.global_pooling || kernel.size() == n || kernel.size() == 1, "the window size has ",
          counted(kernel.size(), "entry"), ", expected ", n);
  const Shape first = to_channels_first(x, op.data_format);
  PoolingGeometry g;
  g.batch = first[0];
  g.channels = first[1];
  g.exclusive = op.exclusive;
  g.average = op.pooling_type == PoolingType::kAverage;
  g.adaptive = op.adaptive && g.average;
  const std::span<WindowAxis> axes(g.axes + 3 - n, n);
  for (size_t i = 0; i < n; ++i) {
    WindowAxis& a = axes[i];
    a.in = first[static_cast<int>(i) + 2];
    a.kernel = op.global_pooling ? a.in : kernel[kernel.size() == 1 ? 0 : i];
    require(op.global_pooling || (a.kernel > 0 && a.kernel < (int64_t{1} << 31)), "the window size is ", a.kernel,
            ", expected a positive number");
  }
  if (!op.global_pooling && !g.adaptive) set_window({op.strides, op.paddings, op.padding_algorithm}, axes);
  if (op.global_pooling || op.adaptive) {
    for (WindowAxis& a : axes) a.out = op.adaptive ? a.kernel : 1;
    return g;
  }
  for (WindowAxis& a : axes) {
    if (a.in < 0) {
      a.out = Shape::kUnknown;
      continue;
    }
    const int64_t room = checked_add(a.in, a.pad_before + a.pad_after) - a.kernel + (op.ceil_mode ? a.stride - 1 : 0);
    // The quotient is truncated, as Paddle's: a window that is larger than x by less than a stride still gives one
    // element.
    a.out = room / a.stride + 1;
    if (a.in == 0) a.out = std::max<int64_t>(a.out, 0);
    require(a.out > 0 || a.in == 0, "a window of ", a.kernel, " does not fit into x ", x, " with its padding");
  }
  return g;
}

Shape pooling_result(const PoolingGeometry& g, DataFormat format, int spatial) {
  Shape y{g.batch, g.channels};
  for (int i = 3 - spatial; i < 3; ++i) y.push_back(g.axes[i].out);
  return from_channels_first(y, format);
}

bool windows_meet_image(const PoolingAttributes& op, const Ints& kernel, int spatial) {
  if (op.global_pooling || op.adaptive) return false;
  const auto n = static_cast<size_t>(spatial);
  if (kernel.size() != n && kernel.size() != 1) return false;
  WindowAxis axes[3];
  const std::span<WindowAxis> used(axes, n);
  set_window({op.strides, op.paddings, op.padding_algorithm}, used);
  for (size_t i = 0; i < n; ++i) {
    WindowAxis& a = axes[i];
    a.kernel = kernel[kernel.size() == 1 ? 0 : i];
    if (op.padding_algorithm == PaddingAlgorithm::kSame) a.pad_before = a.pad_after = a.kernel / 2;  // at most
    // The last window reaches at most so far out of the padded image.
    const int64_t out_of_image = op.ceil_mode ? a.stride - 1 : 0;
    if (a.pad_before >= a.kernel || a.pad_after + out_of_image >= a.kernel) return false;
  }
  return true;
}

void infer_pooling(const PoolingAttributes& op, const Ints* kernel, InferArgs& a, int spatial) {
  const Shape& x = a.shape(0);
  if (!x.rank_known()) {
    a.set(0, a.dtype(0), Shape::filled(spatial + 2, Shape::kUnknown));
    return;
  }
  const Ints any(1, 1);
  PoolingGeometry g = pooling_geometry(op, kernel == nullptr ? any : *kernel, x, spatial);
  if (kernel == nullptr && !op.global_pooling) {
    for (int i = 3 - spatial; i < 3; ++i) g.axes[i].out = Shape::kUnknown;
  }
  a.set(0, a.dtype(0), pooling_result(g, op.data_format, spatial));
}

namespace {

/// f(plane, d, h, w, output index) for each output element, plane = image * channels + channel.
template <class F>
void each_window(const RunContext& context, const PoolingGeometry& g, const F& f) {
  int64_t i = 0;
  LoopCheck check(context);
  for (int64_t plane = 0; plane < g.batch * g.channels; ++plane) {
    for (int64_t d = 0; d < g.axes[0].out; ++d) {
      for (int64_t h = 0; h < g.axes[1].out; ++h) {
        for (int64_t w = 0; w < g.axes[2].out; ++w) {
          check.step(g.axes[0].kernel * g.axes[1].kernel * g.axes[2].kernel);
          f(plane, d, h, w, i++);
        }
      }
    }
  }
}

/// f(element, flat index in the volume) for each input element of a window.
template <class T, class F>
void each_element(const PoolingGeometry& g, const T* volume, int64_t d, int64_t h, int64_t w, const F& f) {
  const int64_t h_end = g.end(1, h);
  const int64_t w_begin = g.begin(2, w);
  const int64_t w_end = g.end(2, w);
  for (int64_t z = g.begin(0, d); z < g.end(0, d); ++z) {
    for (int64_t y = g.begin(1, h); y < h_end; ++y) {
      const int64_t row = (z * g.axes[1].in + y) * g.axes[2].in;
      for (int64_t x = w_begin; x < w_end; ++x) f(static_cast<double>(volume[row + x]), row + x);
    }
  }
}

/// What the maximum of no elements is: the lowest integer, and of every real type the lowest float32.
template <class T>
constexpr double lowest() {
  using Bounded = std::conditional_t<std::is_integral_v<T>, T, float>;
  return static_cast<double>(std::numeric_limits<Bounded>::lowest());
}

}  // namespace

void reference_pooling(const RunContext& context, const PoolingAttributes& op, const Ints& kernel, const Tensor& x,
                       Tensor& y, int spatial) {
  const PoolingGeometry g = pooling_geometry(op, kernel, x.shape(), spatial);
  if (y.count() == 0) return;
  const Tensor from = to_channels_first(context, x, op.data_format);
  Tensor to = channels_first_like(context, y, op.data_format);
  const int64_t volume = g.axes[0].in * g.axes[1].in * g.axes[2].in;
  visit_real(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    each_window(context, g, [&](int64_t plane, int64_t d, int64_t h, int64_t w, int64_t i) {
      const T* in = from.data<T>() + plane * volume;
      double result = g.average ? 0.0 : lowest<T>();
      if (g.average) {
        each_element(g, in, d, h, w, [&](double v, int64_t) { result += v; });
        const int64_t count = g.divisor(0, d) * g.divisor(1, h) * g.divisor(2, w);
        result /= static_cast<double>(count);
      } else {
        // What is not a number is followed by the element after it, as in Paddle.
        each_element(g, in, d, h, w, [&](double v, int64_t) { result = result > v ? result : v; });
      }
      to.data<T>()[i] = convert<T>(result);
    });
  });
  store_channels_first(to, op.data_format, y);
}

void reference_pooling_with_index(const RunContext& context, const PoolingAttributes& op, const Ints& kernel,
                                  const Tensor& x, Tensor& y, Tensor* mask, int spatial) {
  PoolingGeometry g = pooling_geometry(op, kernel, x.shape(), spatial);
  g.adaptive = op.adaptive;
  const int64_t volume = g.axes[0].in * g.axes[1].in * g.axes[2].in;
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    each_window(context, g, [&](int64_t plane, int64_t d, int64_t h, int64_t w, int64_t i) {
      double largest = lowest<T>();
      int64_t at = -1;
      each_element(g, x.data<T>() + plane * volume, d, h, w, [&](double v, int64_t position) {
        if (v > largest) {
          largest = v;
          at = position;
        }
      });
      y.data<T>()[i] = static_cast<T>(largest);
      if (mask != nullptr) mask->data<int32_t>()[i] = static_cast<int32_t>(at);
    });
  });
}

}  // namespace coracle::internal
