// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/quantize/quantization.h"

namespace coracle::internal {

/// x * scale / range with one scale per element of quant_axis; with two sets of scales, those of dimension
/// x_num_col_dims times a common one, over the product of both ranges. A range is 2^(bits - 1) - 1.
struct FakeChannelWiseDequantizeMaxAbs {
  static constexpr const char* kName = "fake_channel_wise_dequantize_max_abs";
  static constexpr const char* kLegacy[] = {"fake_channel_wise_dequantize_max_abs"};
  static constexpr Port kInputs[] = {in("x", "X"),
                                     {.name = "scales", .kind = Port::Kind::kList, .slot = "Scales", .weight = true}};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  Ints quant_bits = {8};
  int quant_axis = 0;
  int x_num_col_dims = 1;
  void attributes(AttributeVisitor& visit) {
    visit("quant_bits", quant_bits);
    visit("quant_axis", quant_axis);
    visit("x_num_col_dims", x_num_col_dims);
  }
  int axis(int sets) const { return sets == 1 ? quant_axis : x_num_col_dims; }
  friend bool operator==(const FakeChannelWiseDequantizeMaxAbs&, const FakeChannelWiseDequantizeMaxAbs&) = default;
};

inline void infer(const FakeChannelWiseDequantizeMaxAbs& op, InferArgs& a) {
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  require(a.count(1) == 1 || a.count(1) == 2, "scales has ", a.count(1), " tensors, expected 1 or 2");
  require(static_cast<int>(op.quant_bits.size()) >= a.count(1), "quant_bits has ", op.quant_bits.size(), " entries");
  for (int64_t bits : op.quant_bits) quantization_limit(static_cast<int>(std::clamp<int64_t>(bits, 0, 100)));
  const int axis = op.axis(a.count(1));
  require(axis >= 0, "the axis of the scales is ", axis);
  check_scales(a, 1, axis, "scales");
  if (a.count(1) == 2 && a.shape(1, 1).known()) require(a.shape(1, 1).count() > 0, "the second scale is empty");
  a.set(0, a.dtype(0), a.shape(0));
}

inline void reference(const FakeChannelWiseDequantizeMaxAbs& op, ReferenceArgs& a) {
  std::vector<float> scales = scales_of(a.context(), a.in(1, 0));
  float range = quantization_limit(static_cast<int>(op.quant_bits[0]));
  if (a.count(1) == 2) {
    const auto common = static_cast<float>(a.in(1, 1).number(0));
    for (float& s : scales) s *= common;
    range *= quantization_limit(static_cast<int>(op.quant_bits[1]));
  }
  dequantize_tensor(a.in(0), scales, scale_index(a.shape(0), op.axis(a.count(1))), range, a.out(0));
}

inline constexpr const OpSchema* fake_channel_wise_dequantize_max_abs_op = &kOpSchema<FakeChannelWiseDequantizeMaxAbs>;

}  // namespace coracle::internal
