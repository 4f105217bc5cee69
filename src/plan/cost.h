// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "graph/op.h"

namespace coracle::internal {

/// What an operator has to do at least, whatever the kernel: the coordinates of the roofline model (Williams, Waterman,
/// Patterson, "Roofline: an insightful visual performance model", CACM 52(4), 2009).
struct Cost {
  int64_t flops = 0;  ///< of its sums of products, a multiply-add counted as two; 0 where memory is the limit
  int64_t bytes = 0;  ///< operands read once, results written once
};

/// Operands and results whose shape is not known count nothing.
Cost cost_of(const Op& op, const NodeFacts& facts);

}  // namespace coracle::internal
