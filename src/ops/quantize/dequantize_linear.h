// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dtypes.h"
#include "ops/quantize/quantization.h"

namespace coracle::internal {

/// x * scale / (2^(bit_length - 1) - 1) in scale's type; one scale, or one per element of quant_axis. only_observer: x.
struct DequantizeLinear {
  static constexpr const char* kName = "dequantize_linear";
  static constexpr const char* kLegacy[] = {"dequantize_linear"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_weight_in("scale", "Scale"),
                                     optional_weight_in("zero_point", "ZeroPoint"), optional_in("in_accum", "InAccum"),
                                     optional_in("in_state", "InState")};
  static constexpr Port kOutputs[] = {out("y", "Y"), optional_out("out_state", "OutState"),
                                      optional_out("out_accum", "OutAccum"), optional_out("out_scale", "OutScale")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int quant_axis = 0;
  int bit_length = 8;
  bool only_observer = false;
  void attributes(AttributeVisitor& visit) {
    visit("quant_axis", quant_axis);
    visit("bit_length", bit_length);
    visit("only_observer", only_observer);
  }
  friend bool operator==(const DequantizeLinear&, const DequantizeLinear&) = default;
};

inline void infer(const DequantizeLinear& op, InferArgs& a) {
  require(kRealTypes.has(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type or integers");
  quantization_limit(op.bit_length);
  require(op.only_observer || a.has(1), "scale is missing");
  if (a.has(1)) check_scales(a, 1, op.quant_axis, "scale");
  if (!op.only_observer) require(is_float(a.dtype(1)), "scale is ", a.dtype(1), ", expected a real type");
  a.set(0, op.only_observer ? a.dtype(0) : a.dtype(1), a.shape(0));
  infer_quantization_state(a);
}

inline void reference(const DequantizeLinear& op, ReferenceArgs& a) {
  if (op.only_observer) {
    copy_tensor(a.context(), a.in(0), a.out(0));
  } else {
    dequantize_tensor(a.in(0), scales_of(a.context(), a.in(1)), scale_index(a.shape(0), op.quant_axis),
                      quantization_limit(op.bit_length), a.out(0));
  }
  copy_quantization_state(a);
}

inline constexpr const OpSchema* dequantize_linear_op = &kOpSchema<DequantizeLinear>;

}  // namespace coracle::internal
