// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/fake_quantization.h"

namespace coracle::internal {

/// x as integers of steps in_scale / (2^(bit_length - 1) - 1).
struct FakeQuantizeMovingAverageAbsMax : ScaledFakeQuantizer {
  static constexpr const char* kName = "fake_quantize_moving_average_abs_max";
  static constexpr bool kQuantizes = true;
  static constexpr const char* kLegacy[] = {"fake_quantize_moving_average_abs_max"};
  friend bool operator==(const FakeQuantizeMovingAverageAbsMax&, const FakeQuantizeMovingAverageAbsMax&) = default;
};

inline void infer(const FakeQuantizeMovingAverageAbsMax& op, InferArgs& a) { infer_fake_quantizer(op, a); }

inline void reference(const FakeQuantizeMovingAverageAbsMax& op, ReferenceArgs& a) {
  reference_fake_quantizer(op, a, false);
}

inline constexpr const OpSchema* fake_quantize_moving_average_abs_max_op = &kOpSchema<FakeQuantizeMovingAverageAbsMax>;

}  // namespace coracle::internal
