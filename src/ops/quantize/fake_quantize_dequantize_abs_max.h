// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/fake_quantization.h"

namespace coracle::internal {

/// x rounded to steps of its scale, the largest absolute value of x.
struct FakeQuantizeDequantizeAbsMax : MeasuringFakeQuantizer {
  static constexpr const char* kName = "fake_quantize_dequantize_abs_max";
  static constexpr bool kQuantizes = true;
  static constexpr const char* kLegacy[] = {"fake_quantize_dequantize_abs_max"};
  friend bool operator==(const FakeQuantizeDequantizeAbsMax&, const FakeQuantizeDequantizeAbsMax&) = default;
};

inline void infer(const FakeQuantizeDequantizeAbsMax& op, InferArgs& a) { infer_fake_quantizer(op, a); }

inline void reference(const FakeQuantizeDequantizeAbsMax& op, ReferenceArgs& a) {
  reference_fake_quantizer(op, a, {}, true);
}

inline constexpr const OpSchema* fake_quantize_dequantize_abs_max_op = &kOpSchema<FakeQuantizeDequantizeAbsMax>;

}  // namespace coracle::internal
