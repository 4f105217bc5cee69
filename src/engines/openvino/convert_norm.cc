// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/shortest.h"
#include "engines/openvino/network.h"
#include "ops/norm/affine_channel.h"
#include "ops/norm/batch_norm.h"
#include "ops/norm/group_norm.h"
#include "ops/norm/instance_norm.h"
#include "ops/norm/layer_norm.h"
#include "ops/norm/rms_norm.h"
#include "ops/reduce/norm.h"

namespace coracle::internal::openvino {
namespace {

/// The elements of an optional operand, `missing` for all where it is absent.
std::vector<float> numbers(const Emitter& e, int port, int64_t count, float missing) {
  std::vector<float> out(static_cast<size_t>(count), missing);
  if (!e.has(port)) return out;
  const Tensor& t = e.elements(port);
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(t.number(static_cast<int64_t>(i)));
  return out;
}

std::string refuse_unknown_weights(const Question& q) {
  const std::span<const Port> ports = q.node.op.schema().inputs;
  for (int port = 1; port < static_cast<int>(ports.size()); ++port) {
    if (ports[static_cast<size_t>(port)].weight && q.facts.has(port) && q.facts.value(port) == nullptr) {
      return text("operand '", ports[static_cast<size_t>(port)].name, "' is known in a run only, it must be constant");
    }
  }
  return {};
}

std::string refuse_batch_norm(const Question& q) {
  return q.as<BatchNorm>().uses_batch() ? "its statistics are those of x" : refuse_unknown_weights(q);
}

void emit_batch_norm(Emitter& e) {
  const auto& op = e.as<BatchNorm>();
  const int rank = e.shape(0).rank();
  const int64_t channels = e.shape(0)[channel_axis(op.data_format, rank)];
  const std::vector<float> mean = numbers(e, 1, channels, 0);
  std::vector<float> factor = numbers(e, 2, channels, 1);
  const std::vector<float> scale = numbers(e, 3, channels, 1);
  std::vector<float> shift = numbers(e, 4, channels, 0);
  for (size_t c = 0; c < factor.size(); ++c) {
    const double f = static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(factor[c]) + op.epsilon);
    shift[c] = static_cast<float>(static_cast<double>(shift[c]) - static_cast<double>(mean[c]) * f);
    factor[c] = static_cast<float>(f);
  }
  const Wire x = e.channels_first(e.in(0), op.data_format, rank);
  e.set(e.from_channels_first(e.affine(x, factor, shift, rank), op.data_format, rank));
}

void emit_affine_channel(Emitter& e) {
  const DataFormat format = e.as<AffineChannel>().data_format;
  const int rank = e.shape(0).rank();
  const int64_t channels = e.shape(0)[channel_axis(format, rank)];
  const Wire x = e.channels_first(e.in(0), format, rank);
  e.set(e.from_channels_first(e.affine(x, numbers(e, 1, channels, 1), numbers(e, 2, channels, 0), rank), format, rank));
}

/// (x - mean) / sqrt(variance + epsilon) over `axes`.
Wire normalized(Emitter& e, Wire x, const Ints& axes, double epsilon) {
  return e.layer("MVN", "opset6", {x, e.ints_of(axes)},
                 {{"eps", shortest(epsilon)}, {"eps_mode", "inside_sqrt"}, {"normalize_variance", "true"}},
                 DType::kFloat32);
}

/// The dimensions from `axis` on.
Ints axes_from(int axis, int rank) {
  Ints axes;
  for (int d = axis; d < rank; ++d) axes.push_back(d);
  return axes;
}

Shape trailing(const Shape& x, int axis) { return Shape(x.dims().subspan(static_cast<size_t>(axis))); }

/// y * scale + shift, operands with one element for each place from `axis` on.
Wire scaled(Emitter& e, Wire y, int scale, int shift, int axis) {
  const Shape places = trailing(e.shape(0), axis);
  if (e.has(scale)) y = e.multiply(y, e.reshape(e.in(scale), places));
  if (e.has(shift)) y = e.add(y, e.reshape(e.in(shift), places));
  return y;
}

void emit_layer_norm(Emitter& e) {
  const auto& op = e.as<LayerNorm>();
  const int rank = e.shape(0).rank();
  const int axis = normalize_axis(op.begin_norm_axis, rank);
  e.set(scaled(e, normalized(e, e.in(0), axes_from(axis, rank), op.epsilon), 1, 2, axis));
}

/// Groups of channels of each sample, then scale and bias (ports 1 and 2) by channel.
void grouped(Emitter& e, int64_t groups, double epsilon, DataFormat format) {
  const int rank = e.shape(0).rank();
  const Shape s = to_channels_first(e.shape(0), format);
  const Wire x = e.channels_first(e.in(0), format, rank);
  Wire y = e.reshape(x, Shape{s[0], groups, s.count(1, rank) / groups});
  y = e.reshape(normalized(e, y, {2}, epsilon), s);
  Shape channels = Shape::filled(rank, 1);
  channels[1] = s[1];
  if (e.has(1)) y = e.multiply(y, e.reshape(e.in(1), channels));
  if (e.has(2)) y = e.add(y, e.reshape(e.in(2), channels));
  e.set(e.from_channels_first(y, format, rank));
}

void emit_group_norm(Emitter& e) {
  const auto& op = e.as<GroupNorm>();
  grouped(e, op.groups, op.epsilon, op.data_format);
}

void emit_instance_norm(Emitter& e) { grouped(e, e.shape(0)[1], e.as<InstanceNorm>().epsilon, DataFormat::kNchw); }

/// x / sqrt(`type` of its squares over the axes + epsilon)
Wire by_root(Emitter& e, Wire x, const char* type, const Ints& axes, double epsilon) {
  const Wire squares = e.reduce(type, "opset1", e.multiply(x, x), axes);
  return e.plain("Divide", {x, e.plain("Sqrt", {e.add(squares, e.scalar(epsilon))})});
}

void emit_rms_norm(Emitter& e) {
  const auto& op = e.as<RmsNorm>();
  const int rank = e.shape(0).rank();
  const int axis = normalize_axis(op.begin_norm_axis, rank);
  Wire x = e.in(0);
  if (e.has(1)) x = e.add(x, e.reshape(e.in(1), trailing(e.shape(0), axis)));
  if (e.has(2)) x = e.add(x, e.in(2));
  e.set(scaled(e, by_root(e, x, "ReduceMean", axes_from(axis, rank), op.epsilon), 3, 4, axis));
  e.set(x, 1);
}

void emit_norm(Emitter& e) {
  const auto& op = e.as<Norm>();
  e.set(by_root(e, e.in(0), "ReduceSum", {normalize_axis(op.axis, e.shape(0).rank())}, op.epsilon));
}

constexpr Converter kNorm[] = {
    {batch_norm_op, kFloat, kFloat, emit_batch_norm, refuse_batch_norm},
    {affine_channel_op, kFloat, kFloat, emit_affine_channel, refuse_unknown_weights},
    {layer_norm_op, kFloat, kFloat, emit_layer_norm},
    {group_norm_op, kFloat, kFloat, emit_group_norm},
    {instance_norm_op, kFloat, kFloat, emit_instance_norm},
    {.schema = rms_norm_op, .operands = kFloat, .results = kFloat, .emit = emit_rms_norm, .ports = 2},
    {norm_op, kFloat, kFloat, emit_norm, refuse_scalar},
};

}  // namespace

extern const ConverterTable convert_norm;
const ConverterTable convert_norm{kNorm};

}  // namespace coracle::internal::openvino
