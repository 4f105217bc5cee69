// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/elementwise/sum.h"
#include "ops/movement/share_data.h"
#include "ops/reduce/mean.h"

namespace coracle::internal {

/// The sum of x, its mean, or x itself.
struct IdentityLoss {
  static constexpr const char* kName = "identity_loss";
  static constexpr const char* kLegacy[] = {"identity_loss"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static void lower(Lowering& l) {
    const auto reduction = l.attribute<int64_t>("reduction", 1);
    require(reduction >= 0 && reduction <= 2, "reduction is ", reduction, ", expected 0, 1 or 2");
    Sum sum;
    sum.reduce_all = true;
    Mean mean;
    mean.reduce_all = true;
    const Op op = reduction == 0 ? Op(sum) : reduction == 1 ? Op(mean) : Op(ShareData{});
    l.bind("Out", l.add(op, {{l.input("X")}}));
  }
  friend bool operator==(const IdentityLoss&, const IdentityLoss&) = default;
};

inline constexpr const OpSchema* identity_loss_op = &kOpSchema<IdentityLoss>;

}  // namespace coracle::internal
