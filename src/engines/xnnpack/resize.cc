// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "converters.h"

namespace coracle_xnnpack {
namespace {

void check_resize(const Node& node) {
  require(node.rank(node.in("x")) == 4, "x is not an image");
  require(node.word("data_format") == "NCHW", "its data format is " + node.word("data_format"));
}

/// The factor that is given for height (0) or width (1); 0 where it follows from the sizes.
double factor_of(const Node& node, size_t axis) {
  if (node.has("size_tensor")) return 0;
  const std::vector<double> factors = node.has("scale_tensor") ? *node.numbers("scale_tensor") : node.reals("scale");
  if (factors.empty()) return 0;
  return factors[factors.size() == 1 ? 0 : std::min(axis, factors.size() - 1)];
}

/// XNNPACK's positions follow from the sizes: those that follow from a factor must be the same.
void require_ratio_of_sizes(const Node& node, const Dims& x, const Dims& y) {
  for (size_t i = 0; i < 2; ++i) {
    const double factor = factor_of(node, i);
    const double by_size = static_cast<double>(y[i + 2]) / static_cast<double>(x[i + 2]);
    require(factor <= 0 || std::abs(factor / by_size - 1) < 1e-7, "its factor is not the ratio of its sizes");
    require(!node.flag("scales_single") || y[i + 2] > 1, "its result has one row or column");
    require(y[i + 2] > 1 || x[i + 2] == 1, "its result has one row or column");
  }
}

void check_bilinear(const Node& node) {
  check_resize(node);
  const Dims x = node.dims(node.in("x"));
  const Dims y = node.dims(node.out());
  if (is_known(x) && is_known(y) && x != y && !node.flag("align_corners")) require_ratio_of_sizes(node, x, y);
}

void build_bilinear(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  const Dims out = node.dims(node.out());
  if (out == b.dims(x)) return b.set_result(node, x);
  const bool aligned = node.flag("align_corners");
  const bool half_pixel = node.integer("align_mode", 1) == 0;
  const uint32_t flags = aligned ? XNN_FLAG_ALIGN_CORNERS : half_pixel ? 0 : XNN_FLAG_TENSORFLOW_LEGACY_MODE;
  const ValueNumber y = b.make(out);
  const std::vector<size_t> from = b.program().value(x).stored();
  const std::vector<size_t> to = b.program().value(y).stored();
  Recipe recipe;
  recipe.create = [c = from[3], flags](float, float, xnn_operator_t* op) {
    return xnn_create_resize_bilinear2d_nhwc_f32(c, c, c, flags, op);
  };
  recipe.set_up = [from, to](xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return xnn_setup_resize_bilinear2d_nhwc_f32(op, from[0], from[1], from[2], to[1], to[2], m[0], m[1], threads);
  };
  b.define({x}, y, std::move(recipe));
  b.set_result(node, y);
}

/// Which of `in` elements each of `out` ones is. Positions are computed in float32: rounding decides what is read.
Dims nearest_elements(const Node& node, size_t axis, int64_t in, int64_t out) {
  const bool aligned = node.flag("align_corners");
  const double factor = factor_of(node, axis);
  float ratio = 0;
  if (out > 1 || (node.flag("scales_single") && !aligned)) {
    ratio = static_cast<float>(in) / static_cast<float>(out);
    if (aligned) {
      ratio = static_cast<float>(in - 1) / static_cast<float>(out - 1);
    } else if (factor > 0) {
      ratio = static_cast<float>(1 / factor);
    }
  }
  Dims elements;
  for (int64_t i = 0; i < out; ++i) {
    const float at = ratio * static_cast<float>(i);
    elements.push_back(std::clamp<int64_t>(whole(aligned ? std::round(at) : at), 0, in - 1));
  }
  return elements;
}

/// Each element of x as often as `out` has it.
ValueNumber nearest(Builder& b, const Node& node, ValueNumber x, const Dims& out) {
  if (out == b.dims(x)) return x;
  const ValueNumber y = b.make_like(x, out);
  const Dims in = b.dims(x);
  require(std::equal(in.begin(), in.begin() + 2, out.begin()), "it resizes more than height and width");
  const Dims read = b.program().value(x).strides();
  const Dims write = b.program().value(y).strides();
  StridedCopy copy;
  for (size_t d = 0; d < 4; ++d) {
    if (d < 2) {
      copy.axes.push_back({in[d], read[d], write[d]});
      continue;
    }
    Dims elements = nearest_elements(node, d - 2, in[d], out[d]);
    const int64_t times = std::max<int64_t>(out[d] / in[d], 1);
    bool even = times * in[d] == out[d];
    for (int64_t i = 0; even && i < out[d]; ++i) even = elements[static_cast<size_t>(i)] == i / times;
    if (even) {
      copy.axes.push_back({in[d], read[d], write[d] * times});
      copy.axes.push_back({times, 0, write[d]});
    } else {
      for (int64_t& e : elements) e *= read[d];
      copy.axes.push_back({out[d], read[d], write[d], std::move(elements)});
    }
  }
  b.copy(x, y, copy);
  return y;
}

void build_nearest(Builder& b, const Node& node) {
  b.set_result(node, nearest(b, node, b.operand(node, "x"), node.dims(node.out())));
}

/// The height (0) or width (1) that x is resized to.
int64_t wanted_size(const Node& node, const Dims& x, size_t axis) {
  if (node.has("size_tensor")) {
    const std::vector<double> size = node.numbers("size_tensor", axis).value_or(std::vector<double>());
    require(!size.empty(), "a size of its result is not known, or has no elements");
    return whole(size[0]);
  }
  const Dims size = node.integers("out_size");
  if (size.size() == 2) return size[axis];
  const double factor = factor_of(node, axis);
  const auto narrow = static_cast<float>(factor);
  // As the operator: factors that no float32 is are multiplied by in double.
  if (narrow > 0 && narrow == factor) return whole(static_cast<float>(x[axis + 2]) * narrow);
  if (narrow > 0) return whole(static_cast<double>(x[axis + 2]) * factor);
  return node.integer(axis == 0 ? "out_h" : "out_w", 0);
}

void build_nearest_add(Builder& b, const Node& node) {
  ValueNumber addend = b.operand(node, "addend");
  if (node.has("factor")) addend = b.multiply(addend, b.operand(node, "factor"));
  const ValueNumber x = b.operand(node, "x");
  const Dims sum = node.dims(node.out());
  const Dims out{b.dims(x)[0], b.dims(x)[1], wanted_size(node, b.dims(x), 0), wanted_size(node, b.dims(x), 1)};
  b.set_result(node, b.plus(addend, nearest(b, node, x, out)));
}

void check_nearest_add(const Node& node) {
  check_resize(node);
  require(node.rank(node.out()) == 4, "its result is not an image");
}

constexpr Converter kResizeConverters[] = {
    {"bilinear_interp", "x", "", "scale_tensor", "out_size size_tensor", check_bilinear, build_bilinear},
    {"nearest_interp", "x", "", "scale_tensor", "out_size size_tensor", check_resize, build_nearest, Types::kEither},
    {"nearest_interp_add", "x factor addend", "", "scale_tensor out_size size_tensor", "", check_nearest_add,
     build_nearest_add},
};

}  // namespace

std::span<const Converter> resize_converters() { return kResizeConverters; }

}  // namespace coracle_xnnpack
