// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/index/gather.h"
#include "ops/index/gathering.h"

namespace coracle::internal {

/// The slice of x at one position of an axis, which goes.
struct IndexSelectStrided {
  static constexpr const char* kName = "index_select_strided";
  static constexpr const char* kLegacy[] = {"index_select_strided"};
  static constexpr Port kInputs[] = {in("x", "x")};
  static constexpr Port kOutputs[] = {out("out", "out")};
  static void lower(Lowering& l) {
    const ValueId index = l.constant(Tensor::scalar<int64_t>(l.attribute<int64_t>("index", 0)));
    const ValueId axis = l.constant(Tensor::scalar<int64_t>(l.attribute<int64_t>("axis", 0)));
    l.bind("out", l.add(Gather{}, {{l.input("x")}, {index}, {axis}}));
  }
  friend bool operator==(const IndexSelectStrided&, const IndexSelectStrided&) = default;
};

inline constexpr const OpSchema* index_select_strided_op = &kOpSchema<IndexSelectStrided>;

}  // namespace coracle::internal
