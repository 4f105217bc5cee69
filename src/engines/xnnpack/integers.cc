// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "converters.h"
#include "int8_channel.h"

/// Operators on int8 numbers without zero points. XNNPACK rounds halves to even, and the products of its scales
/// otherwise than the references: results differ from theirs by one step at most.
namespace coracle_xnnpack {
namespace {

constexpr float kMostSteps = 127;

bool halves_go_to_even(const Node& node) { return node.word("round_type") != "half_away_from_zero"; }

int least_of(const Node& node) { return halves_go_to_even(node) ? -128 : -127; }

/// What a step of the result stands for.
float step_of(const Node& node, const char* scale) {
  const float step = static_cast<float>(node.real(scale, 0)) / kMostSteps;
  require(step > 0 && std::isnormal(step) && std::isnormal(1 / step),
          std::string(scale) + " is " + std::to_string(node.real(scale, 0)) + ", which is too small or too large");
  return step;
}

void check_to_int8(const Node& node) { step_of(node, "scale"); }

void build_to_int8(Builder& b, const Node& node) {
  ValueNumber x = b.operand(node, "x");
  if (node.has("factor")) x = b.multiply(x, b.operand(node, "factor"));
  const ValueNumber y = b.make(b.dims(x), b.program().value(x).rows, Element::kInt8);
  Recipe recipe;
  recipe.create = [step = step_of(node, "scale"), least = static_cast<int8_t>(least_of(node))](float, float,
                                                                                               xnn_operator_t* op) {
    return xnn_create_convert_nc_f32_qs8(1, 1, 1, step, 0, least, static_cast<int8_t>(kMostSteps), 0, op);
  };
  recipe.set_up = [count = static_cast<size_t>(count_of(b.dims(x)))](xnn_operator_t op, float* const* m,
                                                                     pthreadpool_t threads) {
    return xnn_setup_convert_nc_f32_qs8(op, count, m[0], integers(m[1]), threads);
  };
  b.define({x}, y, std::move(recipe));
  b.set_result(node, y);
}

/// An epilogue as XNNPACK has it.
struct Int8Epilogue {
  const float* factor = nullptr;
  const float* bias = nullptr;  ///< may be null
  float step = 0;
  /// Bounds of the results, in steps.
  int low = 0;
  int high = 0;
};

const float* channel_numbers(const Node& node, size_t index, size_t channels) {
  const int32_t value = node.in("tensors", index);
  require(node.is_float(value) && node.is_constant(value), "a tensor of its epilogue is not a constant of float32");
  require(count_of(node.dims(value)) == static_cast<int64_t>(channels), "a tensor of its epilogue has the shape " +
                                                                            written(node.dims(value)) + ", expected [" +
                                                                            std::to_string(channels) + "]");
  return node.floats(value);
}

int rounded_bound(const Node& node, double bound, float step) {
  require(!std::isnan(bound), "a bound of its clip is not a number");
  const double steps = bound / double{step};
  const double rounded = halves_go_to_even(node) ? std::nearbyint(steps) : std::round(steps);
  return static_cast<int>(std::clamp<double>(rounded, least_of(node), kMostSteps));
}

/// Rounding keeps the order of numbers: that of a clamped one is the rounded one, clamped.
Int8Epilogue int8_epilogue(const Node& node, size_t channels) {
  const std::vector<Function> steps = steps_of(node);
  require(!steps.empty() && steps[0].kind == "multiply_channel", "its epilogue does not begin with multiply_channel");
  Int8Epilogue e;
  e.step = step_of(node, "result_scale");
  e.low = least_of(node);
  e.high = static_cast<int>(kMostSteps);
  e.factor = channel_numbers(node, 0, channels);
  size_t next = 1;
  if (steps.size() > 1 && steps[1].kind == "add_channel") e.bias = channel_numbers(node, next++, channels);
  for (; next < steps.size(); ++next) {
    const Function& f = steps[next];
    require(f.kind == "relu" || f.kind == "clip",
            "its epilogue has " + f.kind + ", expected relu or clip behind multiply_channel and add_channel");
    const bool relu = f.kind == "relu";
    const int low = rounded_bound(node, relu ? 0 : f.a, e.step);
    const int high = rounded_bound(node, relu ? std::numeric_limits<double>::infinity() : f.b, e.step);
    e.low = std::min(std::max(e.low, low), high);
    e.high = std::min(std::max(e.high, low), high);
  }
  require(e.low < e.high, "the bounds of its results hold one integer");
  return e;
}

/// That of the weights at `port`, `channels` times `products` of them.
void check_weights(const Node& node, const char* port, size_t channels, size_t products) {
  const int32_t weights = node.in(port);
  require(node.is_constant(weights), std::string(port) + " is not constant");
  require(channels > 0 && products > 0, std::string(port) + " has no elements");
  const int8_t* all = node.integers(weights);
  require(std::find(all, all + channels * products, int8_t{-128}) == all + channels * products,
          std::string(port) + " has an element of -128, expected -127 to 127");
  const Int8Epilogue e = int8_epilogue(node, channels);
  for (size_t c = 0; c < channels; ++c) {
    int8_channel(e.factor[c], e.bias == nullptr ? 0 : e.bias[c], e.step, products);
  }
}

/// y = the product of x, [n, h, w, c] as it lies, by what `packed` says beside its epilogue.
void define_int8_product(Builder& b, const Node& node, Packed packed, ValueNumber x, std::vector<size_t> in,
                         ValueNumber y) {
  const Int8Epilogue e = int8_epilogue(node, packed.groups * packed.outputs);
  packed.factor = e.factor;
  packed.bias = e.bias;
  packed.step = e.step;
  Recipe recipe = recipe_of(packed, /*stays=*/true);
  recipe.bounded = false;  // by other operators: it has its own
  recipe.low = static_cast<float>(e.low);
  recipe.high = static_cast<float>(e.high);
  recipe.set_up = [in = std::move(in)](xnn_operator_t op, float* const* m, pthreadpool_t threads) {
    return xnn_setup_convolution2d_nhwc_qc8(op, in[0], in[1], in[2], integers(m[0]), integers(m[1]), threads);
  };
  b.define({x}, y, std::move(recipe));
}

void check_int8_convolution(const Node& node) {
  require(node.rank(node.in("x")) == 4, "x is not an image");
  require_channels_first(node);
  require(!node.flag("transposed"), "it is transposed");
  require(node.integer("groups", 1) > 0, "it has no groups");
  const Dims f = node.dims(node.in("filter"));
  require(f.size() == 4, "its filter has no four dimensions");
  check_weights(node, "filter", static_cast<size_t>(f[0]), static_cast<size_t>(f[1] * f[2] * f[3]));
}

void build_int8_convolution(Builder& b, const Node& node) {
  const ValueNumber x = b.operand(node, "x");
  auto [packed, out] = convolution_of(node, b.dims(x));
  packed.kind = Packed::Kind::kInt8Convolution;
  packed.filter = node.integers(node.in("filter"));
  const ValueNumber y = b.make_like(x, out);
  define_int8_product(b, node, packed, x, b.program().value(x).stored(), y);
  b.set_result(node, y);
}

void check_int8_linear(const Node& node) {
  require(node.rank(node.in("x")) > 0, "x is a scalar");
  const Dims w = node.dims(node.in("w"));
  require(w.size() == 2, "w is not a matrix");
  const size_t channels = node.flag("transpose_w") ? 0 : 1;
  check_weights(node, "w", static_cast<size_t>(w[channels]), static_cast<size_t>(w[1 - channels]));
}

/// XNNPACK has a scale for each channel in convolutions alone: rows are the pixels of an image.
void build_int8_linear(Builder& b, const Node& node) {
  const ValueNumber x = b.rows(b.operand(node, "x"));
  const Dims w = node.dims(node.in("w"));
  const bool transposed = node.flag("transpose_w");
  Dims out = b.dims(x);
  require(out.back() == w[transposed ? 1 : 0], "the matrix does not fit x");
  Packed packed;
  packed.kind = transposed ? Packed::Kind::kInt8Convolution : Packed::Kind::kInt8Product;
  packed.filter = node.integers(node.in("w"));
  packed.inputs = static_cast<size_t>(out.back());
  out.back() = w[transposed ? 0 : 1];
  packed.outputs = static_cast<size_t>(out.back());
  const ValueNumber y = b.make_like(x, out, /*rows=*/true);
  const size_t rows = static_cast<size_t>(count_of(b.dims(x))) / packed.inputs;
  define_int8_product(b, node, packed, x, {rows, 1, 1}, y);
  b.set_result(node, b.image(y));
}

constexpr Converter kIntegerConverters[] = {
    {"to_int8", "x factor", "", "", "", check_to_int8, build_to_int8, Types::kRounding},
    {"integer_conv2d", "x", "filter", "", "tensors", check_int8_convolution, build_int8_convolution, Types::kInt8},
    {"integer_linear", "x", "w", "", "tensors", check_int8_linear, build_int8_linear, Types::kInt8},
};

}  // namespace

std::span<const Converter> integer_converters() { return kIntegerConverters; }

}  // namespace coracle_xnnpack
