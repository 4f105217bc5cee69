// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/quantize/fake_dequantize_max_abs.h"

namespace coracle::internal {

/// fake_dequantize_max_abs of stored integers.
struct DequantizeAbsMax {
  static constexpr const char* kName = "dequantize_abs_max";
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("scale", "Scale")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static void lower(Lowering& l) { l.lower_by_ports(kOpSchema<FakeDequantizeMaxAbs>); }
  friend bool operator==(const DequantizeAbsMax&, const DequantizeAbsMax&) = default;
};

inline constexpr const OpSchema* dequantize_abs_max_op = &kOpSchema<DequantizeAbsMax>;

}  // namespace coracle::internal
