// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"
#include "engines/openvino/network.h"
#include "ops/quantize/dequantize_linear.h"
#include "ops/quantize/fake_quantize_dequantize_moving_average_abs_max.h"
#include "ops/quantize/fake_quantize_moving_average_abs_max.h"
#include "ops/quantize/quantize_linear.h"

/// Simulated integers stay a simulation, in float32, unless the user allows others: the engine's own integers round
/// otherwise, and on processors whose products of int8 add in 16 bits they are cut off.
namespace coracle::internal::openvino {
namespace {

constexpr int kScale = 1;
/// Below it is no number that is not cut off.
constexpr double kFar = 1e38;

/// One number for all of x, or one for each element of an axis, with ones around it.
class Scales {
 public:
  Scales(Emitter& e, int axis)
      : numbers_(scales_of(kNoRun, e.elements(kScale))), shape_(Shape::filled(e.shape(0).rank(), 1)) {
    const ScaleIndex index = scale_index(e.shape(0), axis);
    if (index.count > 1) shape_[axis] = index.count;
    if (index.count == 1) shape_ = Shape{};
    if (static_cast<int64_t>(numbers_.size()) < index.count) refuse("it has ", counted(numbers_.size(), "scale"));
    numbers_.resize(static_cast<size_t>(index.count));
  }
  /// f of each scale.
  template <class F>
  Wire each(Emitter& e, const F& f) const {
    std::vector<float> results;
    for (const float s : numbers_) results.push_back(f(s));
    return e.floats(results, shape_);
  }

 private:
  std::vector<float> numbers_;
  Shape shape_;
};

/// What OpenVINO makes integers of: integers of 8 bits where it is told of their range before and behind.
bool by_integers(const Emitter& e, int bits) { return e.integers() && bits == 8; }

/// x rounded to steps of a scale; `restored`: to their multiples, else to integers.
Wire fake_quantize(Emitter& e, const Scales& scales, bool restored) {
  const float most = quantization_limit(8);
  const float least = -most - 1;
  const auto of = [&](float integer) { return scales.each(e, [&](float s) { return s * integer / most; }); };
  const Wire range[] = {of(least), of(most)};
  return e.plain(
      "FakeQuantize",
      {e.in(0), range[0], range[1], restored ? range[0] : e.scalar(least), restored ? range[1] : e.scalar(most)},
      {{"levels", std::to_string(static_cast<int>(most - least) + 1)}, {"auto_broadcast", "numpy"}});
}

/// The same steps, each of them rounded, as `quantized`.
Wire quantized(Emitter& e, const Scales& scales, int bits, QuantizationRounding rounding) {
  const float limit = quantization_limit(bits);
  const auto inverse = [](float s) { return s <= 1e-30F ? 1.0F / (s + 1e-6F) : 1.0F / s; };
  if (rounding == QuantizationRounding::kHalfAwayFromZero) {
    Wire x = e.plain("Maximum", {e.in(0), scales.each(e, [](float s) { return -s; })});
    x = e.plain("Minimum", {x, scales.each(e, [](float s) { return s; })});
    x = e.multiply(x, scales.each(e, [&](float s) { return limit * inverse(s); }));
    return e.unary(x, {UnaryKind::kRoundHalfAway});
  }
  // OpenVINO would make one factor of two, whose products are rounded once.
  const Wire apart = e.plain("Maximum", {e.multiply(e.in(0), e.scalar(limit)), e.scalar(-kFar)});
  const Wire x = e.multiply(apart, scales.each(e, inverse));
  const Wire y = e.plain("Maximum", {e.unary(x, {UnaryKind::kRoundHalfEven}), e.scalar(-limit - 1)});
  return e.plain("Minimum", {y, e.scalar(limit)});
}

Wire restored(Emitter& e, Wire x, const Scales& scales, int bits) {
  const Wire y = e.multiply(x, scales.each(e, [](float s) { return s; }));
  return e.plain("Divide", {y, e.scalar(quantization_limit(bits))});
}

template <class T, bool kRestores>
void emit_fake_quantizer(Emitter& e) {
  const auto& op = e.as<T>();
  const Scales scales(e, -1);
  if (by_integers(e, op.bit_length)) return e.set(fake_quantize(e, scales, kRestores));
  const Wire y = quantized(e, scales, op.bit_length, op.round_type);
  e.set(kRestores ? restored(e, y, scales, op.bit_length) : y);
}

void emit_quantize(Emitter& e) {
  const auto& op = e.as<QuantizeLinear>();
  if (op.only_observer) return e.set(e.in(0));
  const Scales scales(e, op.quant_axis);
  if (by_integers(e, op.bit_length)) return e.set(fake_quantize(e, scales, /*restored=*/false));
  e.set(quantized(e, scales, op.bit_length, op.round_type));
}

void emit_dequantize(Emitter& e) {
  const auto& op = e.as<DequantizeLinear>();
  if (op.only_observer) return e.set(e.in(0));
  const Scales scales(e, op.quant_axis);
  const float most = quantization_limit(op.bit_length);
  if (by_integers(e, op.bit_length)) {
    return e.set(e.multiply(e.in(0), scales.each(e, [&](float s) { return s / most; })));
  }
  e.set(restored(e, e.in(0), scales, op.bit_length));
}

std::string refuse_scale(const Question& q) {
  const bool known = !q.facts.has(kScale) || q.facts.in(kScale).value != nullptr;
  return known ? "" : "its scale is known in a run only";
}

/// x and the scale are read; what else there is belongs to training.
constexpr int kReads = 2;
constexpr Converter kQuantization[] = {
    {fake_quantize_dequantize_moving_average_abs_max_op, kFloat, kFloat,
     emit_fake_quantizer<FakeQuantizeDequantizeMovingAverageAbsMax, true>, refuse_scale, kReads},
    {fake_quantize_moving_average_abs_max_op, kFloat, kFloat,
     emit_fake_quantizer<FakeQuantizeMovingAverageAbsMax, false>, refuse_scale, kReads},
    {quantize_linear_op, kFloat, kFloat, emit_quantize, refuse_scale, kReads},
    {dequantize_linear_op, kFloat, kFloat, emit_dequantize, refuse_scale, kReads},
};

}  // namespace

extern const ConverterTable convert_quantization;
const ConverterTable convert_quantization{kQuantization};

}  // namespace coracle::internal::openvino
