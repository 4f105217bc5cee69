// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ops/movement/flip.h"

namespace coracle::internal {

/// The elements in reverse order along each of `axis`; of a tensor array its elements.
struct Reverse {
  static constexpr const char* kName = "reverse";
  static constexpr const char* kLegacy[] = {"reverse"};
  static constexpr Port kInputs[] = {in("x", "X"), shape_in("axis", "axis")};
  static constexpr Port kOutputs[] = {out("out", "Out")};
  static constexpr LodRule kLod = LodRule::kFirst;
  static constexpr size_t kArrays = 1;
  friend bool operator==(const Reverse&, const Reverse&) = default;
};

inline void infer(const Reverse&, InferArgs& a) {
  a.out(0) = Fact(a.dtype(0), a.shape(0));
  a.out(0).is_array = a.in(0).is_array;
  const std::optional<Ints> axes = a.ints(1);
  if (!axes || !a.shape(0).rank_known() || a.in(0).is_array) return;
  for (int64_t axis : *axes) normalize_axis(axis, a.shape(0).rank());
}

inline void reference(const Reverse&, ReferenceArgs& a) {
  if (a.in(0).is_array()) {
    a.out(0) = a.take(0).own_array();
    std::reverse(a.out(0).elements().begin(), a.out(0).elements().end());
    return;
  }
  gather_elements(a.context(), a.in(0), reversed_steps(a.shape(0), a.has(1) ? a.in(1).integers(a.context()) : Ints{}),
                  a.out(0));
}

inline constexpr const OpSchema* reverse_op = &kOpSchema<Reverse>;

}  // namespace coracle::internal
