// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "ops/common/quantization.h"

namespace coracle {

/// x rounded to steps of in_scale / (2^(bit_length - 1) - 1).
struct FakeQuantizeDequantizeMovingAverageAbsMax {
  static constexpr const char* kName = "fake_quantize_dequantize_moving_average_abs_max";
  static constexpr const char* kLegacy[] = {"fake_quantize_dequantize_moving_average_abs_max"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("in_scale", "InScale"), optional_in("in_accum", "InAccum"),
                                     optional_in("in_state", "InState")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("out_scale", "OutScale"),
                                      optional_out("out_state", "OutState"), optional_out("out_accum", "OutAccum")};
  int bit_length = 8;
  QuantizationRounding round_type = QuantizationRounding::kHalfAwayFromZero;
  void attributes(AttributeVisitor& visit) {
    visit("bit_length", bit_length);
    visit("round_type", round_type);
  }
  friend bool operator==(const FakeQuantizeDequantizeMovingAverageAbsMax&,
                         const FakeQuantizeDequantizeMovingAverageAbsMax&) = default;
};

inline void infer(const FakeQuantizeDequantizeMovingAverageAbsMax& op, InferArgs& a) {
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

inline void reference(const FakeQuantizeDequantizeMovingAverageAbsMax& op, ReferenceArgs& a) {
  quantize_tensor(a.in(0), scales_of(a.in(1)), {}, op.bit_length, op.round_type, true, a.out(0));
  if (a.wants(1)) std::memcpy(a.out(1).raw(), a.in(1).raw(), a.in(1).bytes());
  if (a.wants(2)) a.out(2).data<float>()[0] = a.has(3) ? static_cast<float>(a.in(3).number(0)) : 1.0F;
  if (a.wants(3)) a.out(3).data<float>()[0] = a.has(2) ? static_cast<float>(a.in(2).number(0)) : 1.0F;
}

inline constexpr const OpRow* fake_quantize_dequantize_moving_average_abs_max_op =
    &kOpRow<FakeQuantizeDequantizeMovingAverageAbsMax>;

}  // namespace coracle
