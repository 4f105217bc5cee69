// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/long_loop.h"
#include "graph/op.h"

namespace coracle::internal {

/// A tensor seen as lines along one axis.
struct Lines {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;

  Lines(const Shape& x, int64_t axis_value) {
    if (x.is_scalar()) return;
    const int axis = normalize_axis(axis_value, x.rank());
    outer = x.count(0, axis);
    length = x[axis];
    inner = x.count(axis + 1, x.rank());
  }
  /// All elements as one line.
  explicit Lines(int64_t count) : length(count) {}

  /// f(position of the line's first element) for each line; its elements are `inner` apart.
  template <class F>
  void each(const RunContext& context, const F& f) const {
    LoopCheck check(context);
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        check.step(length);
        f(o * length * inner + i);
      }
    }
  }
};

/// Checks an axis of x where its rank is known; a scalar has axes 0 and -1.
inline void require_axis(const Shape& x, int64_t axis) {
  if (x.rank_known()) normalize_axis(axis, x.is_scalar() ? 1 : x.rank());
}

}  // namespace coracle::internal
