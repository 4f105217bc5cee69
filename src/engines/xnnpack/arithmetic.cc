// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "converters.h"

namespace coracle_xnnpack {
namespace {

template <const Binary& kFunction>
void build_binary(Builder& b, const Node& node) {
  b.set_result(node, b.binary(kFunction, b.operand(node, "x"), b.operand(node, "y")));
}

constexpr Binary kSubtract{xnn_create_subtract_nd_f32, xnn_setup_subtract_nd_f32};

/// With the bounds that others have, which it does not take.
template <xnn_status (*kCreate)(uint32_t, xnn_operator_t*)>
xnn_status without_bounds(float, float, uint32_t flags, xnn_operator_t* op) {
  return kCreate(flags, op);
}
constexpr Binary kMaximum{without_bounds<xnn_create_maximum_nd_f32>, xnn_setup_maximum_nd_f32, /*bounded=*/false};
constexpr Binary kMinimum{without_bounds<xnn_create_minimum_nd_f32>, xnn_setup_minimum_nd_f32, /*bounded=*/false};

void build_add_n(Builder& b, const Node& node) {
  ValueNumber sum = b.operand(node, node.in("inputs", 0));
  for (size_t i = 1; i < node.count("inputs"); ++i) sum = b.plus(sum, b.operand(node, node.in("inputs", i)));
  b.set_result(node, sum);
}

/// x * factor + shift for each channel.
ValueNumber by_channel(Builder& b, ValueNumber x, const std::vector<float>& factor, const std::vector<float>& shift) {
  Dims shape(b.dims(x).size() - 1, 1);
  shape[0] = static_cast<int64_t>(factor.size());
  return b.plus(b.multiply(x, b.constant(shape, factor)), b.constant(shape, shift));
}

void check_channels(const Node& node, const char* attribute) {
  require(node.rank(node.in("x")) >= 2, "x has no channels");
  if (node.rank(node.in("x")) > 2) require_channels_first(node, attribute);
}

void check_batch_norm(const Node& node) {
  require(node.flag("use_global_stats") || !node.flag("trainable_statistics"), "its statistics are those of x");
  check_channels(node, "data_format");
}

void build_batch_norm(Builder& b, const Node& node) {
  const int32_t mean = node.in("mean");
  const auto channels = static_cast<size_t>(count_of(node.dims(mean)));
  std::vector<float> factor(channels);
  std::vector<float> shift(channels);
  for (size_t c = 0; c < channels; ++c) {
    const double scale = node.has("scale") ? node.floats(node.in("scale"))[c] : 1;
    const double bias = node.has("bias") ? node.floats(node.in("bias"))[c] : 0;
    const double root =
        std::sqrt(static_cast<double>(node.floats(node.in("variance"))[c]) + node.real("epsilon", 1e-5));
    factor[c] = static_cast<float>(scale / root);
    shift[c] = static_cast<float>(bias - node.floats(mean)[c] * scale / root);
  }
  b.set_result(node, by_channel(b, b.operand(node, "x"), factor, shift));
}

void check_affine(const Node& node) { check_channels(node, "data_layout"); }

void build_affine(Builder& b, const Node& node) {
  const auto elements = [&](const char* port) {
    const int32_t value = node.in(port);
    return std::vector<float>(node.floats(value), node.floats(value) + count_of(node.dims(value)));
  };
  b.set_result(node, by_channel(b, b.operand(node, "x"), elements("scale"), elements("bias")));
}

constexpr Converter kArithmeticConverters[] = {
    {"add", "x y", "", "", "", nullptr, build_binary<kAdd>},
    {"subtract", "x y", "", "", "", nullptr, build_binary<kSubtract>},
    {"multiply", "x y", "", "", "", nullptr, build_binary<kMultiply>},
    {"divide", "x y", "", "", "", nullptr, build_binary<kDivide>},
    {"maximum", "x y", "", "", "", nullptr, build_binary<kMaximum>},
    {"minimum", "x y", "", "", "", nullptr, build_binary<kMinimum>},
    {"add_n", "inputs", "", "", "", nullptr, build_add_n},
    {"batch_norm", "x", "mean variance scale bias", "", "", check_batch_norm, build_batch_norm},
    {"affine_channel", "x", "scale bias", "", "", check_affine, build_affine},
};

}  // namespace

std::span<const Converter> arithmetic_converters() { return kArithmeticConverters; }

}  // namespace coracle_xnnpack
