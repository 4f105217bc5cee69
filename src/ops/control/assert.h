// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"

namespace coracle::internal {

/// A check of the program's author that has no result: it is left out of a run.
struct Assert {
  static constexpr const char* kName = "assert";
  static constexpr const char* kLegacy[] = {"assert"};
  static constexpr Port kInputs[] = {in("cond", "Cond"), list_in("data", "Data")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const Assert&, const Assert&) = default;
};

inline void infer(const Assert&, InferArgs&) {}

inline void reference(const Assert&, ReferenceArgs&) {}

inline constexpr const OpSchema* assert_op = &kOpSchema<Assert>;

}  // namespace coracle::internal
