// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/weight_only_linear.h"

namespace coracle::internal {

/// x @ w + bias for a matrix w in eight bits as weight_quantize() with llm.int8 gives it. On a GPU the columns of x
/// below `threshold` are rounded to eight bits too; here none are.
struct LlmInt8Linear {
  static constexpr const char* kName = "llm_int8_linear";
  static constexpr const char* kLegacy[] = {"llm_int8_linear"};
  static constexpr Port kInputs[] = {in("x", "x"), weight_in("weight", "weight"), optional_weight_in("bias", "bias"),
                                     weight_in("weight_scale", "weight_scale")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  double threshold = 6;
  void attributes(AttributeVisitor& visit) { visit("threshold", threshold); }
  friend bool operator==(const LlmInt8Linear&, const LlmInt8Linear&) = default;
};

inline void infer(const LlmInt8Linear&, InferArgs& a) { infer_packed_product(a, weight_packing("llm.int8", 80), -1); }

inline void reference(const LlmInt8Linear&, ReferenceArgs& a) {
  reference_packed_product(a, weight_packing("llm.int8", 80), -1);
}

inline constexpr const OpSchema* llm_int8_linear_op = &kOpSchema<LlmInt8Linear>;

}  // namespace coracle::internal
