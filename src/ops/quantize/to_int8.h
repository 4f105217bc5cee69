// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/binary.h"
#include "ops/quantize/integer_product.h"

namespace coracle::internal {

/// x as integers of steps scale / 127, for operators on integers. With a factor, a number for each channel of images
/// [n, c, h, w], x is multiplied by that first and rounded to float32. Made by rewrites.
struct ToInt8 {
  static constexpr const char* kName = "to_int8";
  static constexpr bool kQuantizes = true;
  static constexpr Port kInputs[] = {in("x", ""), optional_in("factor", "")};
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
  Shape result = a.shape(0);
  if (a.has(1)) {
    const Shape& factor = a.shape(1);
    require(a.dtype(1) == DType::kFloat32, "factor is ", a.dtype(1), ", expected float32");
    require(result.rank_known() && result.rank() == 4, "x has shape ", result, ", expected 4 dimensions");
    require(factor.rank_known() && factor.rank() == 4 && factor[2] == 1 && factor[3] == 1, "factor has shape ", factor,
            ", expected one number per channel");
    result = broadcast(result, factor);
  }
  a.set(0, DType::kInt8, result);
}

inline void reference(const ToInt8& op, ReferenceArgs& a) {
  const float* x = a.in(0).data<float>();
  auto* y = a.out(0).data<int8_t>();
  if (!a.has(1)) {
    std::transform(x, x + a.in(0).count(), y, [&](float v) { return quantized_to_int8(v, op.scale, op.round_type); });
    return;
  }
  const float* factor = a.in(1).data<float>();
  BroadcastWalk(a.out(0).shape(), a.shape(0), a.shape(1))
      .each(a.context(), [&](int64_t i, int64_t ix, int64_t ifactor) {
        y[i] = quantized_to_int8(x[ix] * factor[ifactor], op.scale, op.round_type);
      });
}

inline constexpr const OpSchema* to_int8_op = &kOpSchema<ToInt8>;

}  // namespace coracle::internal
