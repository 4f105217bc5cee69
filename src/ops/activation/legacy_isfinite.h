// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/isfinite.h"
#include "ops/reduce/all.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {

/// The operator of 1.x programs: whether all elements are finite, one element.
struct LegacyIsfinite {
  static constexpr const char* kName = "legacy_isfinite";
  static constexpr const char* kLegacy[] = {"isfinite"};
  friend bool operator==(const LegacyIsfinite&, const LegacyIsfinite&) = default;
  static void lower(Lowering& l) {
    const ValueId one = l.add(All{}, {{l.add(Isfinite{}, {{l.input("X")}})}});
    l.bind("Out", l.add(Reshape{}, {{one}, {l.constant(Tensor::ints(Ints{1}))}}));
  }
};

inline constexpr const OpSchema* legacy_isfinite_op = &kOpSchema<LegacyIsfinite>;

}  // namespace coracle::internal
