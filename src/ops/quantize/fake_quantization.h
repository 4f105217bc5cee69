// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/quantization.h"

/// Simulated quantisation: x as integers of steps of its scale (`restore`: brought back to x's range).
namespace coracle::internal {

/// The scale is an operand, as training left it. Base of fake_quantize_moving_average_abs_max and
/// fake_quantize_dequantize_moving_average_abs_max.
struct ScaledFakeQuantizer {
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("in_scale", "InScale"), optional_in("in_accum", "InAccum"),
                                     optional_in("in_state", "InState")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("out_scale", "OutScale"),
                                      optional_out("out_state", "OutState"), optional_out("out_accum", "OutAccum")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int bit_length = 8;
  QuantizationRounding round_type = QuantizationRounding::kHalfAwayFromZero;
  void attributes(AttributeVisitor& visit) {
    visit("bit_length", bit_length);
    visit("round_type", round_type);
  }
  friend bool operator==(const ScaledFakeQuantizer&, const ScaledFakeQuantizer&) = default;
};

inline void infer_fake_quantizer(const ScaledFakeQuantizer& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  quantization_limit(op.bit_length);
  check_channels(a, 1, 1, "in_scale");
  if (a.has(2) && a.shape(2).known()) require(a.shape(2).count() > 0, "in_accum is empty");
  if (a.has(3) && a.shape(3).known()) require(a.shape(3).count() > 0, "in_state is empty");
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, a.dtype(1), a.shape(1));
  a.set(2, DType::kFloat32, Shape{1});
  a.set(3, DType::kFloat32, Shape{1});
}

inline void reference_fake_quantizer(const ScaledFakeQuantizer& op, ReferenceArgs& a, bool restore) {
  quantize_tensor(a.in(0), scales_of(a.context(), a.in(1)), {}, op.bit_length, op.round_type, restore, a.out(0));
  if (a.wants(1)) copy_tensor(a.context(), a.in(1), a.out(1));
  if (a.wants(2)) a.out(2).data<float>()[0] = a.has(3) ? static_cast<float>(a.in(3).number(0)) : 1.0F;
  if (a.wants(3)) a.out(3).data<float>()[0] = a.has(2) ? static_cast<float>(a.in(2).number(0)) : 1.0F;
}

inline constexpr Port kMeasuredInputs[] = {in("x", "X")};
inline constexpr Port kMeasuredOutputs[] = {out("out", "Out"), optional_out("out_scale", "OutScale")};

/// The scale is the largest absolute value of x. Base of fake_quantize_abs_max and fake_quantize_dequantize_abs_max.
struct MeasuringFakeQuantizer {
  static constexpr std::span<const Port> kInputs = kMeasuredInputs;
  static constexpr std::span<const Port> kOutputs = kMeasuredOutputs;
  static constexpr LodRule kLod = LodRule::kFirst;
  int bit_length = 8;
  QuantizationRounding round_type = QuantizationRounding::kHalfAwayFromZero;
  void attributes(AttributeVisitor& visit) {
    visit("bit_length", bit_length);
    visit("round_type", round_type);
  }
  friend bool operator==(const MeasuringFakeQuantizer&, const MeasuringFakeQuantizer&) = default;
};

/// The same for each index of an axis. Base of fake_channel_wise_quantize_abs_max and
/// fake_channel_wise_quantize_dequantize_abs_max.
struct ChannelFakeQuantizer : MeasuringFakeQuantizer {
  int quant_axis = 0;
  void attributes(AttributeVisitor& visit) {
    MeasuringFakeQuantizer::attributes(visit);
    visit("quant_axis", quant_axis);
  }
  friend bool operator==(const ChannelFakeQuantizer&, const ChannelFakeQuantizer&) = default;
};

inline void infer_fake_quantizer(const MeasuringFakeQuantizer& op, InferArgs& a, const Shape& scales = {1}) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  quantization_limit(op.bit_length);
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, a.dtype(0), scales);
}

inline void infer_fake_quantizer(const ChannelFakeQuantizer& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  require(op.quant_axis >= 0 && (!x.rank_known() || op.quant_axis < x.rank()), "quant_axis is ", op.quant_axis,
          " for x ", x);
  infer_fake_quantizer(static_cast<const MeasuringFakeQuantizer&>(op), a,
                       Shape{x.rank_known() ? x[op.quant_axis] : Shape::kUnknown});
}

inline void reference_fake_quantizer(const MeasuringFakeQuantizer& op, ReferenceArgs& a, const ScaleIndex& index,
                                     bool restore) {
  const std::vector<float> scales = largest_absolute(a.in(0), index);
  quantize_tensor(a.in(0), scales, index, op.bit_length, op.round_type, restore, a.out(0));
  if (a.wants(1)) store_scales(scales, a.out(1));
}

}  // namespace coracle::internal
