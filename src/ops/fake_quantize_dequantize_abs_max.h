// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/quantization.h"

namespace coracle {

/// x rounded to steps of its scale, the largest absolute value of x.
struct FakeQuantizeDequantizeAbsMax {
  static constexpr const char* kName = "fake_quantize_dequantize_abs_max";
  static constexpr const char* kLegacy[] = {"fake_quantize_dequantize_abs_max"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("out_scale", "OutScale")};
  int bit_length = 8;
  QuantizationRounding round_type = QuantizationRounding::kHalfAwayFromZero;
  void attributes(AttributeVisitor& visit) {
    visit("bit_length", bit_length);
    visit("round_type", round_type);
  }
  friend bool operator==(const FakeQuantizeDequantizeAbsMax&, const FakeQuantizeDequantizeAbsMax&) = default;
};

inline void infer(const FakeQuantizeDequantizeAbsMax& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  quantization_limit(op.bit_length);
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, a.dtype(0), Shape{1});
}

inline void reference(const FakeQuantizeDequantizeAbsMax& op, ReferenceArgs& a) {
  const ScaleIndex index = scale_index(a.shape(0), -1);
  const std::vector<float> scales = largest_absolute(a.in(0), index);
  quantize_tensor(a.in(0), scales, index, op.bit_length, op.round_type, true, a.out(0));
  if (a.wants(1)) store_scales(scales, a.out(1));
}

inline constexpr const OpRow* fake_quantize_dequantize_abs_max_op = &kOpRow<FakeQuantizeDequantizeAbsMax>;

}  // namespace coracle
