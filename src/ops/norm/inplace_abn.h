// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/norm/batch_norm.h"

namespace coracle::internal {

/// batch_norm and an activation.
struct InplaceAbn {
  static constexpr const char* kName = "inplace_abn";
  static constexpr const char* kLegacy[] = {"inplace_abn"};
  static constexpr Port kInputs[] = {in("x", "X"), in("mean", "Mean"), in("variance", "Variance"),
                                     optional_in("scale", "Scale"), optional_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Y")};
  static void lower(Lowering& l) {
    const ValueId norm = l.add(l.read_op(kOpSchema<BatchNorm>), l.ports_of(kOpSchema<BatchNorm>));
    const auto kind = l.attribute<std::string>("activation", "identity");
    l.bind("Y", add_activation(l, norm, kind, l.attribute<double>("alpha", kind == "elu" ? 1.0 : 0.01), 0));
  }
  friend bool operator==(const InplaceAbn&, const InplaceAbn&) = default;
};

inline constexpr const OpSchema* inplace_abn_op = &kOpSchema<InplaceAbn>;

}  // namespace coracle::internal
