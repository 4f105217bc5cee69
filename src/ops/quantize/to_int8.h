// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/integer_product.h"

namespace coracle {

/// x as integers of steps scale / 127, for operators on integers. Made by rewrites.
struct ToInt8 {
  static constexpr const char* kName = "to_int8";
  static constexpr bool kQuantizes = true;
  static constexpr Port kInputs[] = {in("x", "")};
  static constexpr Port kOutputs[] = {out("out", "")};
  static constexpr LodRule kLod = LodRule::kFirst;
  float scale = 1;
  QuantizationRounding round_type = QuantizationRounding::kHalfToEven;
  void attributes(AttributeVisitor& visit) {
    visit("scale", scale);
    visit("round_type", round_type);
  }
  friend bool operator==(const ToInt8&, const ToInt8&) = default;
};

inline void infer(const ToInt8& op, InferArgs& a) {
  require(a.dtype(0) == DType::kFloat32, "x is ", a.dtype(0), ", expected float32");
  require(std::isfinite(op.scale) && op.scale > 0, "scale is ", op.scale, ", expected a number above 0");
  a.set(0, DType::kInt8, a.shape(0));
}

inline void reference(const ToInt8& op, ReferenceArgs& a) {
  const float* x = a.in(0).data<float>();
  std::transform(x, x + a.in(0).count(), a.out(0).data<int8_t>(),
                 [&](float v) { return quantized_to_int8(v, op.scale, op.round_type); });
}

inline constexpr const OpRow* to_int8_op = &kOpRow<ToInt8>;

}  // namespace coracle
