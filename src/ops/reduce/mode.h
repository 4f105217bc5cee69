// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "ops/index/sorting.h"

namespace coracle::internal {

/// The most frequent element along `axis`, the smallest of several, and the index of its last occurrence.
struct Mode {
  static constexpr const char* kName = "mode";
  static constexpr const char* kLegacy[] = {"mode"};
  static constexpr Port kInputs[] = {in("x", "X")};
  static constexpr Port kOutputs[] = {out("out", "Out"), out("indices", "Indices")};
  static constexpr LodRule kLod = LodRule::kFirst;
  int axis = -1;
  bool keepdim = false;
  void attributes(AttributeVisitor& visit) {
    visit("axis", axis);
    visit("keepdim", keepdim);
  }
  friend bool operator==(const Mode&, const Mode&) = default;
};

inline void infer(const Mode& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  if (x.rank_known() && !x.is_scalar()) {
    require(x[sorting_axis(op.axis, x)] != 0, "x ", x, " has no elements on axis ", op.axis);
  }
  infer_one_per_row(a, op.axis, op.keepdim);
}

inline void reference(const Mode& op, ReferenceArgs& a) {
  reference_one_per_row(a, op.axis, [&](const auto& row, const auto& order) {
    int64_t best = order.back();
    size_t most = 0;
    size_t run = 0;
    LoopCheck check(a.context());
    for (size_t j = 0; j < order.size(); ++j) {
      check.step(4);
      ++run;
      const auto value = row[static_cast<size_t>(order[j])];
      if (j + 1 < order.size() && row[static_cast<size_t>(order[j + 1])] == value) continue;
      if (run > most) {
        most = run;
        best = order[j];
      }
      run = 0;
    }
    return best;
  });
}

inline constexpr const OpSchema* mode_op = &kOpSchema<Mode>;

}  // namespace coracle::internal
