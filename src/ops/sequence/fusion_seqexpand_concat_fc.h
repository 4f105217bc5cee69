// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/common/activation_lowering.h"
#include "ops/elementwise/add.h"
#include "ops/matmul/matmul_with_flatten.h"
#include "ops/movement/concat.h"
#include "ops/sequence/sequence_expand.h"

namespace coracle::internal {

/// activation(concat(x[0], x[1] ... expanded to its sequences) @ w + bias) of a program that was optimised before it
/// was saved.
struct FusionSeqexpandConcatFc {
  static constexpr const char* kName = "fusion_seqexpand_concat_fc";
  static constexpr const char* kLegacy[] = {"fusion_seqexpand_concat_fc"};
  static constexpr Port kInputs[] = {list_in("x", "X"), weight_in("fc_weight", "FCWeight"),
                                     optional_weight_in("fc_bias", "FCBias")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("fc_out", "FCOut")};
  static void lower(Lowering& l) {
    std::vector<ValueId> parts = l.inputs("X");
    require(!parts.empty(), "there are no operands");
    SequenceExpand expand;
    expand.ref_level = 0;
    for (size_t i = 1; i < parts.size(); ++i) parts[i] = l.add(expand, {{parts[i]}, {parts[0]}});
    const ValueId x = l.add(Concat{}, {parts, {l.constant(Tensor::scalar<int64_t>(1))}});
    ValueId y = l.add(MatmulWithFlatten{}, {{x}, {l.input("FCWeight")}});
    if (l.has("FCBias")) y = l.add(Add{}, {{y}, {l.input("FCBias")}});
    l.bind("Out", add_activation(l, y, l.attribute<std::string>("fc_activation"), 0.0, 0.0));
  }
  friend bool operator==(const FusionSeqexpandConcatFc&, const FusionSeqexpandConcatFc&) = default;
};

inline constexpr const OpSchema* fusion_seqexpand_concat_fc_op = &kOpSchema<FusionSeqexpandConcatFc>;

}  // namespace coracle::internal
