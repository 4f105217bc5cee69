// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/fake_quantization.h"

namespace coracle::internal {

/// x as integers of steps of its scale, the largest absolute value of x.
struct FakeQuantizeAbsMax : MeasuringFakeQuantizer {
  static constexpr const char* kName = "fake_quantize_abs_max";
  static constexpr bool kQuantizes = true;
  static constexpr const char* kLegacy[] = {"fake_quantize_abs_max"};
  friend bool operator==(const FakeQuantizeAbsMax&, const FakeQuantizeAbsMax&) = default;
};

inline void infer(const FakeQuantizeAbsMax& op, InferArgs& a) { infer_fake_quantizer(op, a); }

inline void reference(const FakeQuantizeAbsMax& op, ReferenceArgs& a) { reference_fake_quantizer(op, a, {}, false); }

inline constexpr const OpSchema* fake_quantize_abs_max_op = &kOpSchema<FakeQuantizeAbsMax>;

}  // namespace coracle::internal
