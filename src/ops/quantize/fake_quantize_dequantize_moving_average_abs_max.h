// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/fake_quantization.h"

namespace coracle::internal {

/// x rounded to steps of in_scale / (2^(bit_length - 1) - 1).
struct FakeQuantizeDequantizeMovingAverageAbsMax : ScaledFakeQuantizer {
  static constexpr const char* kName = "fake_quantize_dequantize_moving_average_abs_max";
  static constexpr bool kQuantizes = true;
  static constexpr const char* kLegacy[] = {"fake_quantize_dequantize_moving_average_abs_max"};
  friend bool operator==(const FakeQuantizeDequantizeMovingAverageAbsMax&,
                         const FakeQuantizeDequantizeMovingAverageAbsMax&) = default;
};

inline void infer(const FakeQuantizeDequantizeMovingAverageAbsMax& op, InferArgs& a) { infer_fake_quantizer(op, a); }

inline void reference(const FakeQuantizeDequantizeMovingAverageAbsMax& op, ReferenceArgs& a) {
  reference_fake_quantizer(op, a, true);
}

inline constexpr const OpSchema* fake_quantize_dequantize_moving_average_abs_max_op =
    &kOpSchema<FakeQuantizeDequantizeMovingAverageAbsMax>;

}  // namespace coracle::internal
