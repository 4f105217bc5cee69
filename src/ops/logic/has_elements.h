// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/control/arrays.h"

namespace coracle::internal {

/// Whether a tensor array has elements, bool [1].
struct HasElements {
  static constexpr const char* kName = "has_elements";
  static constexpr Port kInputs[] = {in("input", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const HasElements&, const HasElements&) = default;
};

inline void infer(const HasElements&, InferArgs& a) {
  require_array(a, 0);
  a.set(0, DType::kBool, Shape{1});
}

inline void reference(const HasElements&, ReferenceArgs& a) { a.out(0).data<bool>()[0] = !a.in(0).elements().empty(); }

inline constexpr const OpSchema* has_elements_op = &kOpSchema<HasElements>;

}  // namespace coracle::internal
