// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/quantization.h"

namespace coracle::internal {

/// x * scale / max_range
struct FakeDequantizeMaxAbs {
  static constexpr const char* kName = "fake_dequantize_max_abs";
  static constexpr const char* kLegacy[] = {"fake_dequantize_max_abs", "dequantize_abs_max"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("scale", "Scale")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double max_range = 127;
  void attributes(AttributeVisitor& visit) { visit("max_range", max_range); }
  friend bool operator==(const FakeDequantizeMaxAbs&, const FakeDequantizeMaxAbs&) = default;
};

inline void infer(const FakeDequantizeMaxAbs&, InferArgs& a) {
  check_channels(a, 1, 1, "scale");
  require(is_float(a.dtype(1)), "scale is ", a.dtype(1), ", expected a real type");
  a.set(0, a.dtype(1), a.shape(0));
}

inline void reference(const FakeDequantizeMaxAbs& op, ReferenceArgs& a) {
  dequantize_tensor(a.in(0), scales_of(a.context(), a.in(1)), {}, static_cast<float>(op.max_range), a.out(0));
}

inline constexpr const OpSchema* fake_dequantize_max_abs_op = &kOpSchema<FakeDequantizeMaxAbs>;

}  // namespace coracle::internal
