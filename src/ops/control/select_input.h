// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/op.h"
#include "ops/movement/movement.h"

namespace coracle::internal {

/// x[mask]: the result of one of several branches.
struct SelectInput {
  static constexpr const char* kName = "select_input";
  static constexpr const char* kLegacy[] = {"select_input"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("mask", "Mask"), list_in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr bool kAnyType = true;
  friend bool operator==(const SelectInput&, const SelectInput&) = default;
};

inline void infer(const SelectInput&, InferArgs& a) {
  require(a.count(1) > 0, "select_input has nothing to select");
  int first = 0;
  int last = a.count(1) - 1;
  if (a.in(0).value != nullptr && a.shape(0).count() == 1) {
    const double mask = a.in(0).value->number(0);
    require(mask >= 0 && mask < a.count(1), "mask is ", mask, " for ", a.count(1), " values");
    first = last = static_cast<int>(mask);
  }
  Fact fact = a.in(1, first);
  for (int i = first; i <= last; ++i) fact = joined(fact, a.in(1, i));
  a.out(0) = fact;
}

inline void reference(const SelectInput&, ReferenceArgs& a) {
  const double mask = a.in(0).count() == 1 ? a.in(0).number(0) : -1;
  require(mask >= 0 && mask < a.count(1), ErrorCode::kRunFailure, "mask is ", mask, " for ", a.count(1), " values");
  copy_tensor(a.context(), a.in(1, static_cast<int>(mask)), a.out(0));
}

inline constexpr const OpSchema* select_input_op = &kOpSchema<SelectInput>;

}  // namespace coracle::internal
