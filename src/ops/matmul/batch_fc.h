// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/elementwise/add.h"
#include "ops/matmul/bmm.h"
#include "ops/shape/unsqueeze.h"

namespace coracle::internal {

/// x [slots, rows, n] times w [slots, n, m] plus a row of bias [slots, m] for each slot.
struct BatchFc {
  static constexpr const char* kName = "batch_fc";
  static constexpr const char* kLegacy[] = {"batch_fc"};
  static constexpr Port kInputs[] = {in("input", "Input"), weight_in("w", "W"), weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const ValueId y = l.add(Bmm{}, {{l.input("Input")}, {l.input("W")}});
    const ValueId bias = l.add(Unsqueeze{}, {{l.input("Bias")}, {l.constant(Tensor::ints(Ints{1}))}});
    l.bind("Out", l.add(Add{}, {{y}, {bias}}));
  }
  friend bool operator==(const BatchFc&, const BatchFc&) = default;
};

inline constexpr const OpSchema* batch_fc_op = &kOpSchema<BatchFc>;

}  // namespace coracle::internal
