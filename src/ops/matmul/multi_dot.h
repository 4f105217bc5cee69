// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/matmul/matmul.h"

namespace coracle::internal {

/// The product of a list of matrices, from left to right.
struct MultiDot {
  static constexpr const char* kName = "multi_dot";
  static constexpr const char* kLegacy[] = {"multi_dot"};
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  friend bool operator==(const MultiDot&, const MultiDot&) = default;
  static void lower(Lowering& l) {
    const std::vector<ValueId> factors = l.inputs("X");
    require(!factors.empty(), "there is nothing to multiply");
    ValueId product = factors.front();
    for (size_t i = 1; i < factors.size(); ++i) product = l.add(Matmul{.shares_lod = true}, {{product}, {factors[i]}});
    l.bind("Out", product);
  }
};

inline constexpr const OpSchema* multi_dot_op = &kOpSchema<MultiDot>;

}  // namespace coracle::internal
