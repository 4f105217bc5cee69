// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// out = in. Nothing is printed: a library does not.
struct Print {
  static constexpr const char* kName = "print";
  static constexpr const char* kLegacy[] = {"print"};
  static constexpr Port kInputs[] = {in("in", "In")};
  static constexpr Port kOutputs[] = {optional_out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr bool kAnyType = true;
  friend bool operator==(const Print&, const Print&) = default;
};

inline void infer(const Print&, InferArgs& a) {
  if (a.out_count(0) > 0) infer_copy(a);
}

inline void reference(const Print&, ReferenceArgs& a) {
  if (a.wants(0)) copy_tensor(a.context(), a.in(0), a.out(0));
}

inline constexpr const OpSchema* print_op = &kOpSchema<Print>;

}  // namespace coracle::internal
