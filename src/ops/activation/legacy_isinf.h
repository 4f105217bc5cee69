// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/lowering.h"
#include "ops/activation/isinf.h"
#include "ops/reduce/any.h"
#include "ops/shape/reshape.h"

namespace coracle::internal {

/// The operator of 1.x programs: whether any element is infinite, one element.
struct LegacyIsinf {
  static constexpr const char* kName = "legacy_isinf";
  static constexpr const char* kLegacy[] = {"isinf"};
  friend bool operator==(const LegacyIsinf&, const LegacyIsinf&) = default;
  static void lower(Lowering& l) {
    const ValueId one = l.add(Any{}, {{l.add(Isinf{}, {{l.input("X")}})}});
    l.bind("Out", l.add(Reshape{}, {{one}, {l.constant(Tensor::ints(Ints{1}))}}));
  }
};

inline constexpr const OpSchema* legacy_isinf_op = &kOpSchema<LegacyIsinf>;

}  // namespace coracle::internal
