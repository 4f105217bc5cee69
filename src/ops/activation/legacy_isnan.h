// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/isnan.h"
#include "ops/reduce/any.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {

/// The operator of 1.x programs: whether any element is not a number, one element.
struct LegacyIsnan {
  static constexpr const char* kName = "legacy_isnan";
  static constexpr const char* kLegacy[] = {"isnan"};
  friend bool operator==(const LegacyIsnan&, const LegacyIsnan&) = default;
  static void lower(Lowering& l) {
    const ValueId one = l.add(Any{}, {{l.add(Isnan{}, {{l.input("X")}})}});
    l.bind("Out", l.add(Reshape{}, {{one}, {l.constant(Tensor::ints(Ints{1}))}}));
  }
};

inline constexpr const OpSchema* legacy_isnan_op = &kOpSchema<LegacyIsnan>;

}  // namespace coracle::internal
