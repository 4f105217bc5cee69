// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/network.h"
#include "ops/activation/dropout.h"
#include "ops/activation/log_softmax.h"
#include "ops/activation/maxout.h"
#include "ops/activation/prelu.h"
#include "ops/activation/softmax.h"
#include "ops/activation/swiglu.h"

namespace coracle::internal::openvino {
namespace {

/// x with at least one dimension, and the axis counted from the front.
struct Line {
  Wire x;
  int axis;
};
Line line(Emitter& e, int axis) {
  if (e.shape(0).is_scalar()) return {e.reshape(e.in(0), Shape{1}), 0};
  return {e.in(0), normalize_axis(axis, e.shape(0).rank())};
}

void set_line(Emitter& e, Wire y) {
  if (e.shape(0).is_scalar()) return e.set_reshaped(y);
  e.set(y);
}

void emit_softmax(Emitter& e) {
  const auto [x, axis] = line(e, e.as<Softmax>().axis);
  set_line(e, e.layer("SoftMax", "opset1", {x}, {{"axis", std::to_string(axis)}}, DType::kFloat32));
}

/// No exponent counts as less than -64, so that the logarithm is finite.
void emit_log_softmax(Emitter& e) {
  const auto [x, axis] = line(e, e.as<LogSoftmax>().axis);
  const Wire behind = e.subtract(x, e.reduce("ReduceMax", "opset1", x, {axis}));
  const Wire exponents = e.plain("Maximum", {behind, e.scalar(-64)});
  const Wire sum = e.reduce("ReduceSum", "opset1", e.plain("Exp", {exponents}), {axis});
  set_line(e, e.subtract(exponents, e.plain("Log", {sum})));
}

void emit_prelu(Emitter& e) {
  const auto& op = e.as<Prelu>();
  const Shape& x = e.shape(0);
  Shape slopes = Shape::filled(x.rank(), 1);
  if (op.mode == PreluMode::kChannel) {
    const int axis = channel_axis(op.data_format, x.rank());
    slopes[axis] = x[axis];
  } else if (op.mode == PreluMode::kElement) {
    slopes = x;
    slopes[0] = 1;
  }
  e.set(e.plain("PReLU", {e.in(0), e.reshape(e.in(1), slopes)}));
}

void emit_swiglu(Emitter& e) {
  Wire x = e.in(0);
  Wire y = x;
  if (e.has(1)) {
    y = e.in(1);
  } else {
    const DType types[] = {DType::kFloat32, DType::kFloat32};
    const Wire axis = e.constant(Tensor::scalar(static_cast<int64_t>(e.shape(0).rank() - 1)));
    const Wire operands[] = {x, axis};
    x = e.layer("Split", "opset1", operands, {{"num_splits", "2"}}, types);
    y = {x.layer, 1};
  }
  e.set(e.multiply(e.unary(x, {UnaryKind::kSwish, 1}), y));
}

void emit_maxout(Emitter& e) {
  const auto& op = e.as<Maxout>();
  Shape grouped = e.shape(0);
  const int axis = normalize_axis(op.axis, grouped.rank());
  grouped[axis] /= op.groups;
  grouped.insert(axis + 1, op.groups);
  e.set_reshaped(e.reduce("ReduceMax", "opset1", e.reshape(e.in(0), grouped), {axis + 1}));
}

void emit_dropout(Emitter& e) {
  const auto share = kept_share(e.as<Dropout>(), e.facts());
  if (!share) refuse("its probability is known in a run only");
  e.set(e.unary(e.in(0), {UnaryKind::kScaleShift, static_cast<float>(*share), 0}));
}

constexpr Converter kActivation[] = {
    {softmax_op, kFloat, kFloat, emit_softmax}, {log_softmax_op, kFloat, kFloat, emit_log_softmax},
    {prelu_op, kFloat, kFloat, emit_prelu},     {swiglu_op, kFloat, kFloat, emit_swiglu},
    {maxout_op, kFloat, kFloat, emit_maxout},   {dropout_op, kFloat, kFloat, emit_dropout},
};

}  // namespace

extern const ConverterTable convert_activation;
const ConverterTable convert_activation{kActivation};

}  // namespace coracle::internal::openvino
