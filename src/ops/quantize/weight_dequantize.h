// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ops/quantize/weight_packing.h"

namespace coracle::internal {

/// The matrix [k, n] that weight_quantize() packed. Packed weights are in the order of architecture 75 and later.
struct WeightDequantize {
  static constexpr const char* kName = "weight_dequantize";
  static constexpr const char* kLegacy[] = {"weight_dequantize"};
  static constexpr Port kInputs[] = {weight_in("x", "x"), weight_in("scale", "scale")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  std::string algo = "weight_only_int8";
  int group_size = -1;
  void attributes(AttributeVisitor& visit) {
    visit("algo", algo);
    visit("group_size", group_size);
  }
  friend bool operator==(const WeightDequantize&, const WeightDequantize&) = default;
};

inline void infer(const WeightDequantize& op, InferArgs& a) {
  const WeightPacking packing = weight_packing(op.algo, 80);
  Shape y{Shape::kUnknown, Shape::kUnknown};
  const Shape& x = a.shape(0);
  require(a.dtype(0) == DType::kInt8, "x is ", a.dtype(0), ", expected int8");
  if (x.rank_known()) {
    require(x.rank() == 2, "x is ", x, ", expected a matrix");
    y = {x[1], x[0] < 0 ? x[0] : x[0] * 8 / packing.bits};
    if (y.known()) require_packable(packing, y[0], y[1]);
    if (y.known() && a.shape(1).known()) require_scales(a.shape(1), y[0], y[1], op.group_size);
  }
  a.set(0, is_float(a.dtype(1)) ? a.dtype(1) : DType::kFloat32, y);
}

inline void reference(const WeightDequantize& op, ReferenceArgs& a) {
  const Shape& s = a.out(0).shape();
  a.out(0).assign(a.context(), std::span<const double>(unpacked_weight(a.context(), weight_packing(op.algo, 80),
                                                                       a.in(0), a.in(1), s[0], s[1], op.group_size)));
}

inline constexpr const OpSchema* weight_dequantize_op = &kOpSchema<WeightDequantize>;

}  // namespace coracle::internal
