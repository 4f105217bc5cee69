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
  const bool has_nan = is_float(a.in(0).dtype());
  reference_one_per_row(a, op.axis, [&](std::span<const int64_t> keys) {
    Buffer<int64_t> order(keys.size(), a.context());
    LoopCheck check(a.context());
    sort_positions(keys, order, check);
    int64_t best = order.back();
    size_t most = 0;
    size_t run = 0;
    for (size_t j = 0; j < order.size(); ++j) {
      check.step(4);
      ++run;
      const int64_t key = keys[static_cast<size_t>(order[j])];
      const bool differs = has_nan && key == kNanKey;  // from all others
      if (!differs && j + 1 < order.size() && keys[static_cast<size_t>(order[j + 1])] == key) continue;
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
