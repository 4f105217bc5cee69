// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/quantization.h"

namespace coracle::internal {

/// x as integers of steps in_scale / (2^(bit_length - 1) - 1).
struct FakeQuantizeRangeAbsMax {
  static constexpr const char* kName = "fake_quantize_range_abs_max";
  static constexpr bool kQuantizes = true;
  static constexpr const char* kLegacy[] = {"fake_quantize_range_abs_max"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("in_scale", "InScale"), optional_in("iter", "Iter")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("out_scale", "OutScale"),
                                      optional_out("out_scales", "OutScales")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int bit_length = 8;
  QuantizationRounding round_type = QuantizationRounding::kHalfAwayFromZero;
  void attributes(AttributeVisitor& visit) {
    visit("bit_length", bit_length);
    visit("round_type", round_type);
  }
  friend bool operator==(const FakeQuantizeRangeAbsMax&, const FakeQuantizeRangeAbsMax&) = default;
};

inline void infer(const FakeQuantizeRangeAbsMax& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  quantization_limit(op.bit_length);
  check_channels(a, 1, 1, "in_scale");
  a.set(0, a.dtype(0), a.shape(0));
  a.set(1, a.dtype(1), a.shape(1));
  a.set(2, a.dtype(1), a.shape(1));
}

inline void reference(const FakeQuantizeRangeAbsMax& op, ReferenceArgs& a) {
  quantize_tensor(a.in(0), scales_of(a.context(), a.in(1)), {}, op.bit_length, op.round_type, false, a.out(0));
  if (a.wants(1)) copy_tensor(a.context(), a.in(1), a.out(1));
  if (a.wants(2)) copy_tensor(a.context(), a.in(1), a.out(2));
}

inline constexpr const OpSchema* fake_quantize_range_abs_max_op = &kOpSchema<FakeQuantizeRangeAbsMax>;

}  // namespace coracle::internal
