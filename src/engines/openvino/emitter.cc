// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "base/shortest.h"
#include "engines/openvino/network.h"
#include "ops/quantize/quantized_weights.h"

namespace coracle::internal::openvino {

Wire Emitter::layer(std::string_view type, std::string_view opset, std::span<const Wire> inputs, Attributes attributes,
                    std::span<const DType> results) {
  return network_.ir.layer(type, opset, inputs, attributes, results);
}

Wire Emitter::layer(std::string_view type, std::string_view opset, std::initializer_list<Wire> inputs,
                    Attributes attributes, DType result) {
  return layer(type, opset, std::span(inputs.begin(), inputs.size()), attributes, {&result, 1});
}

Wire Emitter::plain(std::string_view type, std::initializer_list<Wire> inputs, Attributes attributes) {
  return layer(type, "opset1", inputs, attributes, network_.ir.dtype(*inputs.begin()));
}

Wire Emitter::scalar(double number) { return constant(Tensor::scalar(static_cast<float>(number))); }

Wire Emitter::scalar_like(double number, Wire like) {
  Tensor t = Tensor::make(network_.ir.dtype(like), Shape{});
  t.assign(std::span<const double>(&number, 1));
  return constant(t);
}

Wire Emitter::floats(const std::vector<float>& numbers, const Shape& shape) {
  return constant(Tensor::of<float>(shape, numbers));
}

/// Whether two products of any of these numbers and a byte without a sign have a sum of 16 bits.
bool fit_16_bits(const Tensor& integers) {
  constexpr int kMost = std::numeric_limits<int16_t>::max() / std::numeric_limits<uint8_t>::max() / 2;
  const auto* numbers = integers.data<int8_t>();
  return std::all_of(numbers, numbers + integers.count(), [](int8_t n) { return n >= -kMost && n <= kMost; });
}

Wire Emitter::weights(int port, int axis, const Shape& shape) {
  const Tensor& w = elements(port);
  const auto found =
      integers() && w.dtype() == DType::kFloat32 ? quantized_weights(*network_.context, w, axis) : std::nullopt;
  if (!found || (network_.integers == Integers::kIn16Bits && !fit_16_bits(found->integers))) return constant(w, shape);
  // Groups stand before the channels.
  Shape channels = Shape::filled(shape.rank(), 1);
  const int at = axis + shape.rank() - w.shape().rank();
  channels[at] = shape[at];
  if (at > axis) channels[axis] = shape[axis];
  const std::vector<float> steps(found->scales.begin(), found->scales.end());
  return multiply(convert(constant(found->integers, shape), DType::kFloat32), floats(steps, channels));
}

Wire Emitter::reshape(Wire x, const Shape& shape) {
  if (shape.is_scalar()) {
    // The CPU of OpenVINO crashes where a product is reshaped to no dimensions.
    return layer("Gather", "opset8", {reshape(x, Shape{1}), constant(Tensor::scalar(int64_t{0})), ints_of({0})},
                 {{"batch_dims", "0"}}, network_.ir.dtype(x));
  }
  // A size that varies is written as that of the operand at the same place (0), or as what is left (-1).
  const size_t number = network_.targets.size();
  network_.targets.push_back(shape);
  const uint32_t varies = number < network_.open.targets.size() ? network_.open.targets[number] : 0;
  const Shape* from = sizes_of(x);
  Ints target(shape.begin(), shape.end());
  int left = -1;
  for (int d = 0; d < shape.rank(); ++d) {
    if ((varies >> static_cast<unsigned>(d) & 1U) == 0) continue;
    if (from != nullptr && d < from->rank() && (*from)[d] == shape[d]) {
      target[static_cast<size_t>(d)] = 0;
    } else if (left < 0) {
      left = d;
      target[static_cast<size_t>(d)] = -1;
    }
  }
  const bool zeros = std::find(target.begin(), target.end(), 0) != target.end() && shape.count() != 0;
  const Wire y = plain("Reshape", {x, ints_of(target)}, {{"special_zero", zeros ? "true" : "false"}});
  note_sizes(y, shape);
  return y;
}

Wire Emitter::transpose(Wire x, const Ints& permutation) {
  const Wire y = plain("Transpose", {x, ints_of(permutation)});
  if (const Shape* from = sizes_of(x)) {
    Shape to = *from;
    for (size_t d = 0; d < permutation.size(); ++d) to[static_cast<int>(d)] = (*from)[static_cast<int>(permutation[d])];
    note_sizes(y, to);
  }
  return y;
}

void Emitter::note_sizes(Wire x, const Shape& shape) {
  if (x.port != 0) return;
  const auto at = static_cast<size_t>(x.layer);
  if (network_.known.size() <= at) network_.known.resize(at + 1);
  network_.known[at] = shape;
}

const Shape* Emitter::sizes_of(Wire x) const {
  const auto at = static_cast<size_t>(x.layer);
  return x.port == 0 && at < network_.known.size() && network_.known[at] ? &*network_.known[at] : nullptr;
}

Wire Emitter::convert(Wire x, DType dtype) {
  if (network_.ir.dtype(x) == dtype) return x;
  const char* name = dtype == DType::kFloat32 ? "f32"
                     : dtype == DType::kInt32 ? "i32"
                     : dtype == DType::kInt64 ? "i64"
                                              : "boolean";
  return layer("Convert", "opset1", {x}, {{"destination_type", name}}, dtype);
}

Wire Emitter::reduce(std::string_view type, std::string_view opset, Wire x, const Ints& axes) {
  return layer(type, opset, {x, ints_of(axes)}, {{"keep_dims", "true"}}, network_.ir.dtype(x));
}

Wire Emitter::rearrange(Wire x, const Shape& dims, const Ints& permutation, const Shape& to) {
  return reshape(transpose(reshape(x, dims), permutation), to);
}

Wire Emitter::channels_first(Wire x, DataFormat format, int rank) {
  if (!is_channels_last(format) || rank < 3) return x;
  Ints permutation{0, rank - 1};
  for (int d = 1; d + 1 < rank; ++d) permutation.push_back(d);
  return transpose(x, permutation);
}

Wire Emitter::from_channels_first(Wire x, DataFormat format, int rank) {
  if (!is_channels_last(format) || rank < 3) return x;
  Ints permutation{0};
  for (int d = 2; d < rank; ++d) permutation.push_back(d);
  permutation.push_back(1);
  return transpose(x, permutation);
}

Wire Emitter::affine(Wire x, const std::vector<float>& factor, const std::vector<float>& shift, int rank) {
  Shape channels = Shape::filled(rank, 1);
  channels[1] = static_cast<int64_t>(factor.size());
  return add(multiply(x, floats(factor, channels)), floats(shift, channels));
}

Wire Emitter::epilogue(Wire x, const Epilogue& steps, int port, DataFormat format, int rank) {
  int next = 0;
  for (const EpilogueStep& s : steps.epilogue) {
    if (!takes_tensor(s.kind)) {
      x = unary(x, UnaryStep{unary_kind(s.kind), s.a, s.b, s.c});
      continue;
    }
    Wire t = in(port, next);
    const Shape& given = shape(port, next++);
    const bool channels = s.kind == EpilogueKind::kAddChannel || s.kind == EpilogueKind::kMultiplyChannel;
    const bool adds = s.kind == EpilogueKind::kAddChannel || s.kind == EpilogueKind::kAddTensor;
    if (channels) {
      Shape wide = Shape::filled(rank, 1);
      wide[channel_axis(format, rank)] = given.count();
      t = reshape(t, wide);
    } else {
      rank = std::max(rank, given.rank());
    }
    x = plain(adds ? "Add" : "Multiply", {x, t});
  }
  return x;
}

namespace {

constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;

/// A function that one layer is.
struct OneLayer {
  UnaryKind kind;
  const char* type;
  const char* opset;
};
constexpr OneLayer kOneLayer[] = {
    {UnaryKind::kRelu, "ReLU", "opset1"},         {UnaryKind::kSigmoid, "Sigmoid", "opset1"},
    {UnaryKind::kTanh, "Tanh", "opset1"},         {UnaryKind::kMish, "Mish", "opset4"},
    {UnaryKind::kAbs, "Abs", "opset1"},           {UnaryKind::kSqrt, "Sqrt", "opset1"},
    {UnaryKind::kExp, "Exp", "opset1"},           {UnaryKind::kSoftsign, "SoftSign", "opset9"},
    {UnaryKind::kNegative, "Negative", "opset1"}, {UnaryKind::kSign, "Sign", "opset1"},
    {UnaryKind::kLog, "Log", "opset1"},           {UnaryKind::kErf, "Erf", "opset1"},
    {UnaryKind::kSin, "Sin", "opset1"},           {UnaryKind::kCos, "Cos", "opset1"},
    {UnaryKind::kAtan, "Atan", "opset1"},         {UnaryKind::kFloor, "Floor", "opset1"},
    {UnaryKind::kCeil, "Ceiling", "opset1"},
};

}  // namespace

Wire Emitter::unary(Wire x, const UnaryStep& s) {
  for (const OneLayer& one : kOneLayer) {
    if (one.kind == s.kind) return layer(one.type, one.opset, {x}, {}, DType::kFloat32);
  }
  const auto shifted = [&](Wire v, double by) { return by == 0 ? v : add(v, scalar(by)); };
  const auto scaled = [&](Wire v, double by) { return by == 1 ? v : multiply(v, scalar(by)); };
  const auto over = [&](Wire v, Wire by) { return plain("Divide", {v, by}, {{"auto_broadcast", "numpy"}}); };
  const auto choose = [&](Wire condition, Wire yes, Wire no) {
    return layer("Select", "opset1", {condition, yes, no}, {{"auto_broadcast", "numpy"}}, DType::kFloat32);
  };
  const auto greater = [&](Wire v, Wire than) { return layer("Greater", "opset1", {v, than}, {}, DType::kBool); };
  const auto clamp = [&](Wire v, double low, double high) {
    if (low <= high && low > -std::numeric_limits<float>::infinity() && high < std::numeric_limits<float>::infinity())
      return plain("Clamp", {v}, {{"min", shortest(low)}, {"max", shortest(high)}});
    return plain("Minimum", {plain("Maximum", {v, scalar(low)}), scalar(high)});
  };
  const auto elu = [&](Wire v, double alpha) { return plain("Elu", {v}, {{"alpha", shortest(alpha)}}); };
  const auto softplus = [&](Wire v) { return layer("SoftPlus", "opset4", {v}, {}, DType::kFloat32); };
  const auto relu = [&](Wire v) { return plain("ReLU", {v}); };
  const auto round = [&](const char* mode) { return layer("Round", "opset5", {x}, {{"mode", mode}}, DType::kFloat32); };
  const auto gelu = [&](const char* mode) {
    return layer("Gelu", "opset7", {x}, {{"approximation_mode", mode}}, DType::kFloat32);
  };
  switch (s.kind) {
    case UnaryKind::kIdentity: return scaled(x, 1);
    case UnaryKind::kScaleShift: return shifted(scaled(x, s.a), s.b);
    case UnaryKind::kShiftScale: return scaled(shifted(x, s.b), s.a);
    case UnaryKind::kClip: return clamp(x, s.a, s.b);
    case UnaryKind::kLeakyRelu: return plain("PReLU", {x, floats({s.a}, Shape{1})});
    case UnaryKind::kHardSigmoid: return clamp(shifted(scaled(x, s.a), s.b), 0, 1);
    case UnaryKind::kHardSwish:
      if (s.a == 3 && s.b == 6 && s.c == 6) return layer("HSwish", "opset4", {x}, {}, DType::kFloat32);
      return multiply(x, scaled(clamp(shifted(x, s.a), 0, s.b), 1.0 / static_cast<double>(s.c)));
    case UnaryKind::kSwish: return layer("Swish", "opset4", {x, scalar(s.a)}, {}, DType::kFloat32);
    case UnaryKind::kGelu: return gelu("ERF");
    case UnaryKind::kGeluTanh: return gelu("TANH");
    case UnaryKind::kElu: return elu(x, s.a);
    case UnaryKind::kSoftplus: {
      const Wire steep = scaled(x, s.a);
      const Wire smooth = scaled(softplus(steep), 1.0 / static_cast<double>(s.a));
      // Beyond such a threshold both are the same in float32.
      return s.b >= 17 ? smooth : choose(greater(steep, scalar(s.b)), x, smooth);
    }
    case UnaryKind::kSquare: return multiply(x, x);
    case UnaryKind::kLogSigmoid: return plain("Negative", {softplus(plain("Negative", {x}))});
    case UnaryKind::kScaledTanh: return scaled(plain("Tanh", {scaled(x, s.a)}), s.b);
    case UnaryKind::kTanhShrink: return subtract(x, plain("Tanh", {x}));
    case UnaryKind::kSelu: return scaled(elu(x, s.a), s.b);
    case UnaryKind::kCelu: return scaled(elu(scaled(x, 1.0 / static_cast<double>(s.a)), 1), s.a);
    case UnaryKind::kHardShrink: return choose(greater(plain("Abs", {x}), scalar(s.a)), x, scalar(0));
    case UnaryKind::kSoftShrink: return subtract(relu(shifted(x, -s.a)), relu(shifted(plain("Negative", {x}), -s.a)));
    case UnaryKind::kThresholdedRelu: return choose(greater(x, scalar(s.a)), x, scalar(s.b));
    case UnaryKind::kRsqrt: return over(scalar(1), plain("Sqrt", {x}));
    case UnaryKind::kReciprocal: return over(scalar(1), x);
    case UnaryKind::kLog2: return scaled(plain("Log", {x}), 1 / kLn2);
    case UnaryKind::kLog10: return scaled(plain("Log", {x}), 1 / kLn10);
    case UnaryKind::kRoundHalfEven: return round("half_to_even");
    case UnaryKind::kRoundHalfAway: return round("half_away_from_zero");
    case UnaryKind::kTruncate: return multiply(plain("Sign", {x}), plain("Floor", {plain("Abs", {x})}));
    case UnaryKind::kPow: return plain("Power", {x, scalar(s.a)});
    default: refuse("OpenVINO has no layer that is ", name_of(s.kind), " with all digits");
  }
}

}  // namespace coracle::internal::openvino
