// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/quantization.h"

namespace coracle::internal {

/// x as integers of steps scale / (2^(bit_length - 1) - 1), in x's type; one scale, or one per element of
/// quant_axis. only_observer: x.
struct QuantizeLinear {
  static constexpr const char* kName = "quantize_linear";
  static constexpr bool kQuantizes = true;
  static constexpr const char* kLegacy[] = {"quantize_linear"};
  static constexpr Port kInputs[] = {in("x", "X"), optional_weight_in("scale", "Scale"),
                                     optional_weight_in("zero_point", "ZeroPoint"), optional_in("in_accum", "InAccum"),
                                     optional_in("in_state", "InState")};
  static constexpr Port kOutputs[] = {out("y", "Y"), optional_out("out_state", "OutState"),
                                      optional_out("out_accum", "OutAccum"), optional_out("out_scale", "OutScale")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int quant_axis = 0;
  int bit_length = 8;
  QuantizationRounding round_type = QuantizationRounding::kHalfToEven;
  bool only_observer = false;
  void attributes(AttributeVisitor& visit) {
    visit("quant_axis", quant_axis);
    visit("bit_length", bit_length);
    visit("round_type", round_type);
    visit("only_observer", only_observer);
  }
  friend bool operator==(const QuantizeLinear&, const QuantizeLinear&) = default;
};

inline void infer(const QuantizeLinear& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  quantization_limit(op.bit_length);
  require(op.only_observer || a.has(1), "scale is missing");
  if (a.has(1)) check_scales(a, 1, op.quant_axis, "scale");
  a.set(0, a.dtype(0), a.shape(0));
  infer_quantization_state(a);
}

inline void reference(const QuantizeLinear& op, ReferenceArgs& a) {
  if (op.only_observer) {
    copy_tensor(a.context(), a.in(0), a.out(0));
  } else {
    quantize_tensor(a.in(0), scales_of(a.context(), a.in(1)), scale_index(a.shape(0), op.quant_axis), op.bit_length,
                    op.round_type, false, a.out(0));
  }
  copy_quantization_state(a);
}

inline constexpr const OpSchema* quantize_linear_op = &kOpSchema<QuantizeLinear>;

}  // namespace coracle::internal
