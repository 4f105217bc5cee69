// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/dropout.h"
#include "ops/elementwise/add.h"

namespace coracle::internal {

/// dropout(x) + y when not training.
struct FusedDropoutAdd {
  static constexpr const char* kName = "fused_dropout_add";
  static constexpr const char* kLegacy[] = {"fused_dropout_add"};
  static constexpr Port kInputs[] = {in("x", "x"), in("y", "y"), optional_in("seed_tensor", "seed_tensor"),
                                     value_in("p", "p", "PTensor")};
  static constexpr Port kOutputs[] = {out("out", "out"), optional_out("seed_offset", "seed_offset")};
  static void lower(Lowering& l) {
    ValueId x = l.input("x");
    if (l.attribute<std::string>("mode", "downscale_in_infer") != "upscale_in_train") {
      const auto rate = static_cast<float>(l.attribute<double>("p", 0.5));
      const ValueId p = l.has("PTensor") ? l.input("PTensor") : l.constant(Tensor::scalar(rate));
      x = l.add(Dropout{}, {{x}, {}, {p}});
    }
    l.bind("out", l.add(Add{}, {{x}, {l.input("y")}}));
  }
  friend bool operator==(const FusedDropoutAdd&, const FusedDropoutAdd&) = default;
};

inline constexpr const OpSchema* fused_dropout_add_op = &kOpSchema<FusedDropoutAdd>;

}  // namespace coracle::internal
