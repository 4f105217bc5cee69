// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/relu.h"
#include "ops/elementwise/add.h"
#include "ops/sequence/sequence_conv.h"

namespace coracle::internal {

/// relu(sequence_conv(x) + bias) of a program that was optimised before it was saved.
struct FusionSeqconvEltaddRelu {
  static constexpr const char* kName = "fusion_seqconv_eltadd_relu";
  static constexpr const char* kLegacy[] = {"fusion_seqconv_eltadd_relu"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("filter", "Filter"), weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Out"), optional_out("col_mat", "ColMat")};
  static void lower(Lowering& l) {
    SequenceConv conv = l.read<SequenceConv>();
    const ValueId y = l.add(conv, {{l.input("X")}, {}, {l.input("Filter")}});
    l.bind("Out", l.add(Relu{}, {{l.add(Add{}, {{y}, {l.input("Bias")}})}}));
  }
  friend bool operator==(const FusionSeqconvEltaddRelu&, const FusionSeqconvEltaddRelu&) = default;
};

inline constexpr const OpSchema* fusion_seqconv_eltadd_relu_op = &kOpSchema<FusionSeqconvEltaddRelu>;

}  // namespace coracle::internal
