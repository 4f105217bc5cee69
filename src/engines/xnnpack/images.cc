// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "converters.h"
#include "window.h"

namespace coracle_xnnpack {
namespace {

/// The image's height and width and those of a result.
Windows windows_of(const Dims& x, const Dims& y) {
  Windows windows;
  for (size_t i = 0; i < 2; ++i) {
    windows.axes[i].in = x[i + 2];
    windows.axes[i].out = y[i + 2];
  }
  return windows;
}

void check_image(const Node& node, const char* port) {
  require(node.rank(node.in(port)) == 4, std::string(port) + " is not an image");
  require_channels_first(node);
}

void check_convolution(const Node& node) {
  check_image(node, "x");
  require(node.rank(node.in("filter")) == 4, "its filter has no four dimensions");
  require(node.integer("groups", 1) > 0, "it has no groups");
  check_epilogue(node);
}

void check_transposed(const Node& node) {
  check_convolution(node);
  require(node.word("padding_algorithm") != "SAME", "its padding is SAME");
}

/// What all convolutions have; inputs and outputs are set beside.
Packed packed_of(const Node& node, const Windows& windows) {
  Packed packed;
  packed.groups = narrow(node.integer("groups", 1));
  for (size_t i = 0; i < 2; ++i) {
    const Window& w = windows.axes[i];
    packed.kernel[i] = narrow(w.kernel);
    packed.stride[i] = narrow(w.stride);
    packed.dilation[i] = narrow(w.dilation);
    packed.before[i] = narrow(w.before);
    packed.after[i] = narrow(w.after);
  }
  return packed;
}

void build_convolution(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  const int32_t filter = node.in("filter");
  size_t first = 0;
  auto [packed, out] = convolution_of(node, b.dims(x));
  packed.filter = b.kept(node, filter);
  packed.bias = bias_of(node, first);
  const ValueNumber y = b.make(out);
  Recipe recipe = recipe_of(packed, node.is_constant(filter));
  recipe.set_up = [in = b.program().value(x).stored()](xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return xnn_setup_convolution2d_nhwc_f32(op, in[0], in[1], in[2], m[0], m[1], threads);
  };
  b.define({x}, y, std::move(recipe));
  b.set_result(node, apply_epilogue(b, node, y, first, 2));
}

void build_transposed(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  const int32_t filter = node.in("filter");
  const Dims f = node.dims(filter);  // [in, out / groups, height, width]
  const int64_t groups = node.integer("groups", 1);
  require(f[0] == b.dims(x)[1] && f[0] % groups == 0, "its filter does not fit x");
  const Dims size = node.integers("output_size");
  const Dims padding = node.list("output_padding");
  Windows w = windows_of(b.dims(x), b.dims(x));
  for (size_t i = 0; i < 2; ++i) w.axes[i].kernel = f[i + 2];
  set_windows(node, w, /*dilated=*/true);
  int64_t adjustment[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    Window& a = w.axes[i];
    const int64_t whole = (a.in - 1) * a.stride + a.span() - a.before;
    a.out = whole - a.after + (padding.empty() ? 0 : padding[padding.size() == 1 ? 0 : i]);
    if (!size.empty()) a.out = size[size.size() == 1 ? 0 : i];
    a.after = std::max<int64_t>(whole - a.out, 0);
    adjustment[i] = std::max<int64_t>(a.out - whole, 0);
    require(a.out > 0 && adjustment[i] < a.stride, "its result is larger than its windows");
  }
  size_t first = 0;
  Packed packed = packed_of(node, w);
  packed.kind = Packed::Kind::kTransposed;
  packed.filter = b.kept(node, filter);
  packed.bias = bias_of(node, first);
  packed.inputs = static_cast<size_t>(f[0] / groups);
  packed.outputs = static_cast<size_t>(f[1]);
  const ValueNumber y = b.make({b.dims(x)[0], groups * f[1], w.height().out, w.width().out});
  Recipe recipe = recipe_of(packed, node.is_constant(filter));
  recipe.set_up = [in = b.program().value(x).stored(), down = narrow(adjustment[0]), right = narrow(adjustment[1])](
                      xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return xnn_setup_deconvolution2d_nhwc_f32(op, in[0], in[1], in[2], down, right, m[0], m[1], threads);
  };
  b.define({x}, y, std::move(recipe));
  b.set_result(node, apply_epilogue(b, node, y, first, 2));
}

bool is_average(const Node& node) { return node.word("pooling_type") == "avg"; }

void check_pool(const Node& node) {
  check_image(node, "x");
  require(is_average(node) || node.word("pooling_type") == "max", "it is neither maximum nor average");
  require(!is_average(node) || node.is_float(node.out()), "it is an average of int8");
  if (!node.flag("adaptive")) return;
  require(is_average(node), "it is an adaptive maximum");
}

/// Windows of one element.
ValueNumber picked(Builder& b, ValueNumber x, const Dims& out, const Windows& w) {
  const ValueNumber y = b.make_like(x, out);
  StridedCopy copy = whole_copy(b.program().value(x), b.program().value(y));
  const Dims steps = b.program().value(x).strides();
  for (size_t i = 0; i < 2; ++i) {
    require(w.axes[i].before == 0 && w.axes[i].after == 0, "its windows of one element have padding");
    copy.axes[i + 2].from = steps[i + 2] * w.axes[i].stride;
  }
  b.copy(x, y, copy);
  return y;
}

ValueNumber mean_of_image(Builder& b, ValueNumber x) {
  const ValueNumber y = b.make({b.dims(x)[0], b.dims(x)[1], 1, 1});
  const std::vector<size_t> in = b.program().value(x).stored();
  Recipe recipe;
  recipe.create = [c = in[3]](float low, float high, xnn_operator_t* op) {
    return xnn_create_global_average_pooling_nwc_f32(c, c, c, low, high, 0, op);
  };
  recipe.set_up = [in](xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return xnn_setup_global_average_pooling_nwc_f32(op, in[0], in[1] * in[2], m[0], m[1], threads);
  };
  b.define({x}, y, std::move(recipe));
  return y;
}

/// Averages, over those elements of a window that are no padding, or maxima.
ValueNumber pooled(Builder& b, ValueNumber x, const Dims& out, const Windows& windows, bool average) {
  const ValueNumber y = b.make(out);
  const std::vector<size_t> in = b.program().value(x).stored();
  Recipe recipe;
  recipe.bounded = true;
  recipe.create = [c = in[3], h = windows.height(), v = windows.width(), average](float low, float high,
                                                                                  xnn_operator_t* op) {
    if (average) {
      return xnn_create_average_pooling2d_nhwc_f32(narrow(h.before), narrow(v.after), narrow(h.after), narrow(v.before),
                                                   narrow(h.kernel), narrow(v.kernel), narrow(h.stride),
                                                   narrow(v.stride), c, c, c, low, high, 0, op);
    }
    return xnn_create_max_pooling2d_nhwc_f32(narrow(h.before), narrow(v.after), narrow(h.after), narrow(v.before),
                                             narrow(h.kernel), narrow(v.kernel), narrow(h.stride), narrow(v.stride), 1,
                                             1, c, c, c, low, high, 0, op);
  };
  recipe.set_up = [in, set_up = average ? xnn_setup_average_pooling2d_nhwc_f32 : xnn_setup_max_pooling2d_nhwc_f32](
                      xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return set_up(op, in[0], in[1], in[2], m[0], m[1], threads);
  };
  b.define({x}, y, std::move(recipe));
  return y;
}

/// Maxima of int8.
ValueNumber largest_integers(Builder& b, ValueNumber x, const Dims& out, const Windows& windows) {
  const ValueNumber y = b.make_like(x, out);
  const std::vector<size_t> in = b.program().value(x).stored();
  Recipe recipe;
  recipe.create = [c = in[3], h = windows.height(), v = windows.width()](float, float, xnn_operator_t* op) {
    using Bounds = std::numeric_limits<int8_t>;
    return xnn_create_max_pooling2d_nhwc_s8(narrow(h.before), narrow(v.after), narrow(h.after), narrow(v.before),
                                            narrow(h.kernel), narrow(v.kernel), narrow(h.stride), narrow(v.stride), 1,
                                            1, c, c, c, Bounds::min(), Bounds::max(), 0, op);
  };
  recipe.set_up = [in](xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return xnn_setup_max_pooling2d_nhwc_s8(op, in[0], in[1], in[2], integers(m[0]), integers(m[1]), threads);
  };
  b.define({x}, y, std::move(recipe));
  return y;
}

/// `count` slices of `from`, `step` apart from number `at` on, become those of `to` from `to_at` on.
void copy_slices(Builder& b, size_t axis, ValueNumber from, int64_t at, int64_t step, int64_t count, ValueNumber to,
                 int64_t to_at) {
  const Dims read = b.program().value(from).strides();
  const Dims write = b.program().value(to).strides();
  StridedCopy copy;
  for (size_t d = 0; d < read.size(); ++d) copy.axes.push_back({b.dims(to)[d], read[d], write[d]});
  copy.axes[axis].size = count;
  copy.axes[axis].from *= step;
  copy.from_start = at * read[axis];
  copy.to_start = to_at * write[axis];
  b.copy(from, to, copy);
}

/// Means of `count` windows of `size` elements along height (2) or width (3) of x, `step` apart from its first on.
ValueNumber means_along(Builder& b, size_t axis, ValueNumber x, int64_t size, int64_t step, int64_t count) {
  Dims out = b.dims(x);
  out[axis] = count;
  Windows windows = windows_of(b.dims(x), out);
  windows.axes[axis - 2].kernel = size;
  windows.axes[axis - 2].stride = step;
  return pooled(b, x, out, windows, /*average=*/true);
}

/// Means of windows that make up x along height (2) or width (3), of which some share elements. Those of one size that
/// are evenly apart are one pooling.
ValueNumber adaptive_means(Builder& b, size_t axis, ValueNumber x, int64_t out) {
  const int64_t in = b.dims(x)[axis];
  if (in == out) return x;
  const auto begin = [&](int64_t o) { return o * in / out; };
  const auto size = [&](int64_t o) { return ((o + 1) * in + out - 1) / out - begin(o); };
  Dims shape = b.dims(x);
  shape[axis] = out;
  ValueNumber y = kNoValue;
  for (int64_t first = 0, next = 0; first < out; first = next) {
    next = first + 1;
    const int64_t step = next < out ? begin(next) - begin(first) : 1;
    const auto goes_on = [&] {
      return next < out && size(next) == size(first) && begin(next) - begin(next - 1) == step &&
             (step > 0 || size(first) == 1);
    };
    while (goes_on()) ++next;
    const int64_t count = next - first;
    const int64_t last = begin(next - 1) + size(first);
    ValueNumber means = x;
    if (size(first) > 1) {
      if (last - begin(first) < in) {
        Dims part = b.dims(x);
        part[axis] = last - begin(first);
        means = b.make(part);
        copy_slices(b, axis, x, begin(first), 1, part[axis], means, 0);
      }
      means = means_along(b, axis, means, size(first), std::max<int64_t>(step, 1), count);
      if (count == out) return means;
    }
    if (y == kNoValue) y = b.make(shape);
    copy_slices(b, axis, means, means == x ? begin(first) : 0, means == x ? step : 1, count, y, first);
  }
  return y;
}

/// The windows of a pooling; what an average divides by is the number of elements inside the image.
Windows pool_windows(const Node& node, const Dims& x, const Dims& out) {
  Windows w = windows_of(x, out);
  const Dims kernel = node.integers("kernel_size");
  const bool global = node.flag("global_pooling");
  require(global || kernel.size() == 1 || kernel.size() == 2, "its window has no two sizes");
  for (size_t i = 0; i < 2; ++i) {
    w.axes[i].kernel = global ? w.axes[i].in : kernel[kernel.size() == 1 ? 0 : i];
    require(w.axes[i].kernel > 0, "its window has no size");
  }
  if (node.flag("adaptive")) {
    for (Window& a : w.axes) {
      a.kernel = a.stride = a.in / a.out;
    }
  } else if (!global) {
    set_windows(node, w, /*dilated=*/false);
  }
  return w;
}

void build_pool(Builder& b, const Node& node) {
  ValueNumber x = b.operand(node, "x");
  const Dims out = node.dims(node.out());
  if (node.flag("adaptive") && (b.dims(x)[2] % out[2] != 0 || b.dims(x)[3] % out[3] != 0)) {
    return b.set_result(node, adaptive_means(b, 3, adaptive_means(b, 2, x, out[2]), out[3]));
  }
  Windows w = pool_windows(node, b.dims(x), out);
  const bool average = is_average(node);
  if (average && out[2] == 1 && out[3] == 1 && w.height().kernel == w.height().in && w.width().kernel == w.width().in &&
      w.height().before + w.height().after + w.width().before + w.width().after == 0) {
    return b.set_result(node, mean_of_image(b, x));
  }
  const Windows given = w;
  fit(w);
  bool padded = false;
  for (size_t i = 0; i < 2; ++i) {
    const Window& a = w.axes[i];
    require((a.out - 1) * a.stride - a.before < a.in && a.before < a.kernel, "a window lies outside of x");
    padded = padded || a.before + a.after > 0;
    require(!average || node.integer("exclusive", 1) != 0 || node.flag("adaptive") ||
                (given.axes[i].before == given.axes[i].after && a.after <= given.axes[i].after),
            "its average counts an uneven padding");
  }
  if (w.height().kernel == 1 && w.width().kernel == 1) return b.set_result(node, picked(b, x, out, w));
  if (average && padded && node.integer("exclusive", 1) == 0) {
    // The padding counts: it becomes a part of x.
    Dims wider = b.dims(x);
    for (size_t i = 0; i < 2; ++i) {
      wider[i + 2] += w.axes[i].before + w.axes[i].after;
    }
    x = b.pad(x, wider, {0, narrow(w.height().before), narrow(w.width().before), 0},
              {0, narrow(w.height().after), narrow(w.width().after), 0}, 0.0F);
    for (Window& a : w.axes) a.before = a.after = 0;
  }
  const bool int8 = b.program().value(x).element == Element::kInt8;
  b.set_result(node, int8 ? largest_integers(b, x, out, w) : pooled(b, x, out, w, average));
}

void check_mean(const Node& node) {
  require(node.rank(node.in("x")) == 4, "x is not an image");
  Dims axes = node.integers("axis");
  for (int64_t& a : axes) a = static_cast<int64_t>(axis_of(a, 4));
  std::sort(axes.begin(), axes.end());
  require(!node.flag("reduce_all") && axes == Dims({2, 3}), "it is not the mean of height and width");
}

void build_mean(Builder& b, const Node& node) {
  b.set_result(node, b.reshape(mean_of_image(b, b.operand(node, "x")), node.dims(node.out())));
}

constexpr Converter kImageConverters[] = {
    {"conv2d", "x", "filter", "", "", check_convolution, build_convolution},
    {"depthwise_conv2d", "x", "filter", "", "", check_convolution, build_convolution},
    {"conv2d_fused", "x tensors", "filter", "", "", check_convolution, build_convolution},
    {"conv2d_transpose", "x", "filter", "output_size", "", check_transposed, build_transposed},
    {"depthwise_conv2d_transpose", "x", "filter", "output_size", "", check_transposed, build_transposed},
    {"conv2d_transpose_fused", "x tensors", "filter", "", "", check_transposed, build_transposed},
    {"pool2d", "x", "", "kernel_size", "", check_pool, build_pool, Types::kEither},
    {"mean", "x", "", "axis", "", check_mean, build_mean},
};

}  // namespace

std::span<const Converter> image_converters() { return kImageConverters; }

Convolution convolution_of(const Node& node, const Dims& x) {
  const Dims f = node.dims(node.in("filter"));
  const int64_t groups = node.integer("groups", 1);
  require(f[1] * groups == x[1] && f[0] % groups == 0, "its filter does not fit x");
  // An epilogue may make the result larger than the convolution's.
  Windows w = windows_of(x, node.dims(node.out()));
  for (size_t i = 0; i < 2; ++i) {
    w.axes[i].kernel = f[i + 2];
  }
  set_windows(node, w, /*dilated=*/true);
  for (Window& a : w.axes) {
    const int64_t room = a.in + a.before + a.after - a.span();
    require(room >= 0, "its windows do not fit into x");
    a.out = room / a.stride + 1;
  }
  Packed packed = packed_of(node, w);
  packed.inputs = static_cast<size_t>(f[1]);
  packed.outputs = static_cast<size_t>(f[0] / groups);
  const bool no_gaps = packed.kernel[0] >= packed.stride[0] && packed.kernel[1] >= packed.stride[1];
  if (node.word("padding_algorithm") == "SAME" && no_gaps) {
    // What stands around x follows from its size, which is no part of the operator; XNNPACK computes the same, but
    // where windows have gaps between them.
    packed.before = packed.after = {};
    packed.flags = XNN_FLAG_TENSORFLOW_SAME_PADDING;
  }
  return {packed, {x[0], f[0], w.height().out, w.width().out}};
}

}  // namespace coracle_xnnpack
