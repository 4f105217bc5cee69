// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/fake_quantization.h"

namespace coracle::internal {

/// x rounded to steps of its scale, the largest absolute value along quant_axis.
struct FakeChannelWiseQuantizeDequantizeAbsMax : ChannelFakeQuantizer {
  static constexpr const char* kName = "fake_channel_wise_quantize_dequantize_abs_max";
  static constexpr const char* kLegacy[] = {"fake_channel_wise_quantize_dequantize_abs_max"};
  friend bool operator==(const FakeChannelWiseQuantizeDequantizeAbsMax&,
                         const FakeChannelWiseQuantizeDequantizeAbsMax&) = default;
};

inline void infer(const FakeChannelWiseQuantizeDequantizeAbsMax& op, InferArgs& a) { infer_fake_quantizer(op, a); }

inline void reference(const FakeChannelWiseQuantizeDequantizeAbsMax& op, ReferenceArgs& a) {
  reference_fake_quantizer(op, a, scale_index(a.shape(0), op.quant_axis), true);
}

inline constexpr const OpSchema* fake_channel_wise_quantize_dequantize_abs_max_op =
    &kOpSchema<FakeChannelWiseQuantizeDequantizeAbsMax>;

}  // namespace coracle::internal
