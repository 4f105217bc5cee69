// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// Results are the operands at the same place.
struct Nop {
  static constexpr const char* kName = "nop";
  static constexpr const char* kLegacy[] = {"nop"};
  static constexpr Port kInputs[] = {list_in("x", "X")};
  static constexpr Port kOutputs[] = {list_out("out", "Out")};
  static constexpr size_t kArrays = SIZE_MAX;
  friend bool operator==(const Nop&, const Nop&) = default;
};

inline void infer(const Nop&, InferArgs& a) {
  require(a.out_count(0) <= a.count(0), "nop has ", a.out_count(0), " results of ", a.count(0), " operands");
  for (int i = 0; i < a.out_count(0); ++i) {
    a.out(0, i) = Fact(a.dtype(0, i), a.shape(0, i));
    a.out(0, i).is_array = a.in(0, i).is_array;
  }
}

inline void reference(const Nop&, ReferenceArgs& a) {
  for (int i = 0; i < a.out_count(0); ++i) copy_tensor(a.context(), a.in(0, i), a.out(0, i));
}

inline constexpr const OpSchema* nop_op = &kOpSchema<Nop>;

}  // namespace coracle::internal
