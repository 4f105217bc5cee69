// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/elementwise/subtract.h"

namespace coracle::internal {

/// x - y, of 1.x programs.
struct Minus {
  static constexpr const char* kName = "minus";
  static constexpr const char* kLegacy[] = {"minus"};
  friend bool operator==(const Minus&, const Minus&) = default;
  static void lower(Lowering& l) { l.bind("Out", l.add(Subtract{}, {{l.input("X")}, {l.input("Y")}})); }
};

inline constexpr const OpSchema* minus_op = &kOpSchema<Minus>;

}  // namespace coracle::internal
