// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/sequence/cvm.h"
#include "ops/sequence/fusion_seqpool_concat.h"

namespace coracle::internal {

/// cvm of the pooled sequences of several operands, side by side; of a program that was optimised before it was saved.
struct FusionSeqpoolCvmConcat {
  static constexpr const char* kName = "fusion_seqpool_cvm_concat";
  static constexpr const char* kLegacy[] = {"fusion_seqpool_cvm_concat"};
  static constexpr Port kInputs[] = {list_in("x", "X"), in("cvm", "CVM")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const Cvm cvm = l.read<Cvm>();
    l.bind("Out", add_pooled_rows(l, [&](ValueId x) { return l.add(cvm, {{x}, {}}); }));
  }
  friend bool operator==(const FusionSeqpoolCvmConcat&, const FusionSeqpoolCvmConcat&) = default;
};

inline constexpr const OpSchema* fusion_seqpool_cvm_concat_op = &kOpSchema<FusionSeqpoolCvmConcat>;

}  // namespace coracle::internal
