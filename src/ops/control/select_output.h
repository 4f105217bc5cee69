// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/movement/copying.h"

namespace coracle::internal {

/// x for the branch that `mask` names. Every result gets it: only the branch taken reads its own.
struct SelectOutput {
  static constexpr const char* kName = "select_output";
  static constexpr const char* kLegacy[] = {"select_output"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("x", "X"), in("mask", "Mask")};
  static constexpr Port kOutputs[] = {list_out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const SelectOutput&, const SelectOutput&) = default;
};

inline void infer(const SelectOutput&, InferArgs& a) {
  for (int i = 0; i < a.out_count(0); ++i) {
    a.out(0, i) = Fact(a.dtype(0), a.shape(0));
    a.out(0, i).is_array = a.in(0).is_array;
  }
}

inline void reference(const SelectOutput&, ReferenceArgs& a) {
  for (int i = 0; i < a.out_count(0); ++i) copy_tensor(a.context(), a.in(0), a.out(0, i));
}

inline constexpr const OpSchema* select_output_op = &kOpSchema<SelectOutput>;

}  // namespace coracle::internal
