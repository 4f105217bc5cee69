// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "converters.h"

namespace coracle_xnnpack {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// A function of XNNPACK's without numbers.
struct PlainFunction {
  const char* kind;
  xnn_status (*create)(size_t channels, size_t from_apart, size_t to_apart, uint32_t flags, xnn_operator_t*);
  Unary::SetUp set_up;
};
constexpr PlainFunction kPlain[] = {
    {"sigmoid", xnn_create_sigmoid_nc_f32, xnn_setup_sigmoid_nc_f32},
    {"abs", xnn_create_abs_nc_f32, xnn_setup_abs_nc_f32},
    {"square", xnn_create_square_nc_f32, xnn_setup_square_nc_f32},
    {"sqrt", xnn_create_square_root_nc_f32, xnn_setup_square_root_nc_f32},
    {"negative", xnn_create_negate_nc_f32, xnn_setup_negate_nc_f32},
    {"floor", xnn_create_floor_nc_f32, xnn_setup_floor_nc_f32},
    {"ceil", xnn_create_ceiling_nc_f32, xnn_setup_ceiling_nc_f32},
    {"round_half_even", xnn_create_bankers_rounding_nc_f32, xnn_setup_bankers_rounding_nc_f32},
};
constexpr PlainFunction kSoftmax = {"softmax", xnn_create_softmax_nc_f32, xnn_setup_softmax_nc_f32};
constexpr PlainFunction kHardswish = {"hardswish", xnn_create_hardswish_nc_f32, xnn_setup_hardswish_nc_f32};

Unary unary_of(const PlainFunction& f) {
  return {[create = f.create](size_t c, xnn_operator_t* op) { return create(c, c, c, 0, op); }, f.set_up};
}

ValueNumber plain(Builder& b, std::string_view kind, ValueNumber x) {
  for (const PlainFunction& f : kPlain) {
    if (f.kind == kind) return b.unary(x, unary_of(f));
  }
  throw Refused("it has nothing for " + std::string(kind));
}

float narrowed(double x) { return static_cast<float>(x); }

ValueNumber elu(Builder& b, double alpha, ValueNumber x) {
  return b.unary(
      x, {[a = narrowed(alpha)](size_t c, xnn_operator_t* op) { return xnn_create_elu_nc_f32(c, c, c, a, 0, op); },
          xnn_setup_elu_nc_f32});
}

ValueNumber leaky_relu(Builder& b, double slope, ValueNumber x) {
  return b.unary(x, {[a = narrowed(slope)](size_t c, xnn_operator_t* op) {
                       return xnn_create_leaky_relu_nc_f32(c, c, c, a, 0, op);
                     },
                     xnn_setup_leaky_relu_nc_f32});
}

ValueNumber scaled(Builder& b, ValueNumber x, double by) {
  return by == 1 ? x : b.multiply(x, b.constant(narrowed(by)));
}
ValueNumber shifted(Builder& b, ValueNumber x, double by) { return by == 0 ? x : b.plus(x, b.constant(narrowed(by))); }

ValueNumber hardswish(Builder& b, const Function& f, ValueNumber x) {
  if (f.a == 3 && f.b == 6 && f.c == 6) return b.unary(x, unary_of(kHardswish));
  return scaled(b, b.multiply(x, b.clamp(shifted(b, x, f.a), 0, f.b)), 1 / f.c);
}

ValueNumber one_over(Builder& b, ValueNumber x) { return b.binary(kDivide, b.constant(1.0F), x); }

/// The functions with numbers, or that are made of several.
struct MadeFunction {
  const char* kind;
  ValueNumber (*make)(Builder&, const Function&, ValueNumber);
};
constexpr MadeFunction kMade[] = {
    {"relu", [](Builder& b, const Function&, ValueNumber x) { return b.clamp(x, 0, kUnlimited); }},
    {"clip", [](Builder& b, const Function& f, ValueNumber x) { return b.clamp(x, f.a, f.b); }},
    {"leaky_relu", [](Builder& b, const Function& f, ValueNumber x) { return leaky_relu(b, f.a, x); }},
    {"hardsigmoid",
     [](Builder& b, const Function& f, ValueNumber x) { return b.clamp(shifted(b, scaled(b, x, f.a), f.b), 0, 1); }},
    {"hardswish", hardswish},
    {"swish", [](Builder& b, const Function& f,
                 ValueNumber x) { return b.multiply(x, plain(b, "sigmoid", scaled(b, x, f.a))); }},
    {"elu", [](Builder& b, const Function& f, ValueNumber x) { return elu(b, f.a, x); }},
    {"selu", [](Builder& b, const Function& f, ValueNumber x) { return scaled(b, elu(b, f.a, x), f.b); }},
    {"scale_shift", [](Builder& b, const Function& f, ValueNumber x) { return shifted(b, scaled(b, x, f.a), f.b); }},
    {"shift_scale", [](Builder& b, const Function& f, ValueNumber x) { return scaled(b, shifted(b, x, f.b), f.a); }},
    {"softsign", [](Builder& b, const Function&,
                    ValueNumber x) { return b.binary(kDivide, x, shifted(b, plain(b, "abs", x), 1)); }},
    {"reciprocal", [](Builder& b, const Function&, ValueNumber x) { return one_over(b, x); }},
    {"rsqrt", [](Builder& b, const Function&, ValueNumber x) { return one_over(b, plain(b, "sqrt", x)); }},
};

/// The operators that are a function of each element.
struct FunctionOperator {
  const char* op;
  Function (*function)(const Node&);
};
constexpr FunctionOperator kOperators[] = {
    {"relu", [](const Node&) { return Function{"relu"}; }},
    {"relu6",
     [](const Node& n) {
       return Function{"clip", 0, n.real("threshold", 6)};
     }},
    {"relu_clipped",
     [](const Node& n) {
       return Function{"clip", 0, n.real("limit", 6)};
     }},
    {"hardtanh",
     [](const Node& n) {
       return Function{"clip", n.real("t_min", 0), n.real("t_max", 24)};
     }},
    {"clip",
     [](const Node& n) {
       return Function{"clip", n.number("min", -kUnlimited), n.number("max", kUnlimited)};
     }},
    {"sigmoid", [](const Node&) { return Function{"sigmoid"}; }},
    {"hardsigmoid",
     [](const Node& n) {
       return Function{"hardsigmoid", n.real("slope", 0.2), n.real("offset", 0.5)};
     }},
    {"hardswish",
     [](const Node& n) {
       return Function{"hardswish", n.real("offset", 3), n.real("threshold", 6), n.real("scale", 6)};
     }},
    {"swish",
     [](const Node& n) {
       return Function{"swish", n.real("beta", 1)};
     }},
    {"silu",
     [](const Node&) {
       return Function{"swish", 1};
     }},
    {"leaky_relu",
     [](const Node& n) {
       return Function{"leaky_relu", n.real("negative_slope", 0.02)};
     }},
    {"elu",
     [](const Node& n) {
       return Function{"elu", n.real("alpha", 1)};
     }},
    {"selu",
     [](const Node& n) {
       return Function{"selu", n.real("alpha", 0), n.real("scale", 0)};
     }},
    {"softsign", [](const Node&) { return Function{"softsign"}; }},
    {"abs", [](const Node&) { return Function{"abs"}; }},
    {"negative", [](const Node&) { return Function{"negative"}; }},
    {"square", [](const Node&) { return Function{"square"}; }},
    {"sqrt", [](const Node&) { return Function{"sqrt"}; }},
    {"rsqrt", [](const Node&) { return Function{"rsqrt"}; }},
    {"reciprocal", [](const Node&) { return Function{"reciprocal"}; }},
    {"floor", [](const Node&) { return Function{"floor"}; }},
    {"ceil", [](const Node&) { return Function{"ceil"}; }},
    {"round",
     [](const Node& n) {
       require(n.integer("decimals", 0) == 0, "it rounds to decimals");
       require(n.flag("half_even"), "halves go away from zero");
       return Function{"round_half_even"};
     }},
    {"scale",
     [](const Node& n) {
       const bool after = n.integer("bias_after_scale", 1) != 0;
       return Function{after ? "scale_shift" : "shift_scale", n.number("scale", 1), n.real("bias", 0)};
     }},
};

Function function_of(const Node& node) {
  for (const FunctionOperator& o : kOperators) {
    if (node.op() == o.op) return o.function(node);
  }
  throw Refused("it has nothing for " + node.op());
}

void check_operator(const Node& node) { check_function(function_of(node)); }
void build_operator(Builder& b, const Node& node) {
  b.set_result(node, apply(b, function_of(node), b.operand(node, "x")));
}

constexpr Converter function_converter(const char* op, const char* arguments = "") {
  return {op, "x", "", arguments, "", check_operator, build_operator};
}

void check_prelu(const Node& node) {
  require_channels_first(node);
  require(node.word("mode") != "element", "it has a slope for each element");
  const int rank = node.rank(node.in("x"));
  require(node.word("mode") == "all" || rank == 2 || rank == 4,
          "its slopes of channels are for a rank of " + std::to_string(rank) + ", expected 2 or 4");
}

void build_prelu(Builder& b, const Node& node) {
  const int32_t alpha = node.in("alpha");
  const ValueNumber x = b.operand(node, "x");
  if (node.word("mode") == "all") return b.set_result(node, leaky_relu(b, node.floats(alpha)[0], x));
  const float* slopes = b.kept(node, alpha);
  b.set_result(node, b.unary_of_rows(x, {[slopes](size_t c, xnn_operator_t* op) {
                                           return xnn_create_prelu_nc_f32(c, c, c, slopes, 0, op);
                                         },
                                         xnn_setup_prelu_nc_f32}));
}

void check_softmax(const Node& node) {
  const auto rank = static_cast<size_t>(node.rank(node.in("x")));
  require(rank > 0, "x is a scalar");
  const size_t axis = axis_of(node.integer("axis", -1), rank);
  require(axis + 1 == rank || (rank == 4 && axis == 1),
          "its axis is " + std::to_string(axis) + " of a rank of " + std::to_string(rank) + ", not the last");
}

void build_softmax(Builder& b, const Node& node) {
  ValueNumber x = b.operand(node, "x");
  const size_t rank = b.dims(x).size();
  const bool last = axis_of(node.integer("axis", -1), rank) + 1 == rank;
  if (last) x = b.rows(x);  // else the channels, which lie last
  b.set_result(node, b.image(b.unary_of_rows(x, unary_of(kSoftmax))));
}

constexpr Converter kActivationsConverters[] = {
    function_converter("relu"),
    function_converter("relu6"),
    function_converter("relu_clipped"),
    function_converter("hardtanh"),
    function_converter("clip", "min max"),
    function_converter("sigmoid"),
    function_converter("hardsigmoid"),
    function_converter("hardswish"),
    function_converter("swish"),
    function_converter("silu"),
    function_converter("leaky_relu"),
    function_converter("elu"),
    function_converter("selu"),
    function_converter("softsign"),
    function_converter("abs"),
    function_converter("negative"),
    function_converter("square"),
    function_converter("sqrt"),
    function_converter("rsqrt"),
    function_converter("reciprocal"),
    function_converter("floor"),
    function_converter("ceil"),
    function_converter("round"),
    function_converter("scale", "scale"),
    {"prelu", "x", "alpha", "", "", check_prelu, build_prelu},
    {"softmax", "x", "", "", "", check_softmax, build_softmax},
};

}  // namespace

std::span<const Converter> activation_converters() { return kActivationsConverters; }

void check_function(const Function& f) {
  bool known = false;
  for (const PlainFunction& p : kPlain) known = known || f.kind == p.kind;
  for (const MadeFunction& m : kMade) known = known || f.kind == m.kind;
  require(known, "it has nothing for " + f.kind);
  for (double number : {f.a, f.b, f.c}) require(!std::isnan(number), f.kind + " has a number that is none");
  if (f.kind == "clip") require(narrowed(f.a) < narrowed(f.b), "the bounds of its clip hold nothing");
  if (f.kind == "hardswish") require(f.b > 0 && f.c != 0, "its hardswish has no room");
  if (f.kind == "elu" || f.kind == "selu") {
    require(std::isnormal(narrowed(f.a)) && f.a > 0, "its alpha is not positive");
  }
  if (f.kind == "leaky_relu") require(std::isfinite(narrowed(f.a)), "its slope is not finite");
}

ValueNumber apply(Builder& builder, const Function& f, ValueNumber x) {
  for (const PlainFunction& p : kPlain) {
    if (f.kind == p.kind) return builder.unary(x, unary_of(p));
  }
  for (const MadeFunction& m : kMade) {
    if (f.kind == m.kind) return m.make(builder, f, x);
  }
  throw Refused("it has nothing for " + f.kind);
}

}  // namespace coracle_xnnpack
