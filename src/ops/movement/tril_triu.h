// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/movement/tril.h"
#include "ops/movement/triu.h"

namespace coracle::internal {

/// ProgramDesc's one operator for tril and triu.
struct TrilTriu {
  static constexpr const char* kName = "tril_triu";
  static constexpr const char* kLegacy[] = {"tril_triu"};
  friend bool operator==(const TrilTriu&, const TrilTriu&) = default;
  static void lower(Lowering& l) {
    const int diagonal = l.attribute<int>("diagonal");
    if (l.attribute<bool>("lower", true)) {
      Tril op;
      op.diagonal = diagonal;
      l.bind("Out", l.add(op, {{l.input("X")}}));
    } else {
      Triu op;
      op.diagonal = diagonal;
      l.bind("Out", l.add(op, {{l.input("X")}}));
    }
  }
};

inline constexpr const OpSchema* tril_triu_op = &kOpSchema<TrilTriu>;

}  // namespace coracle::internal
