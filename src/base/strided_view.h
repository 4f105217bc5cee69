// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/fact.h"

namespace coracle::internal {

/// An operand or result that lies in a larger tensor: element (i, j, ...) is number start + i * step[0] + j * step[1]
/// ... of that.
struct StridedView {
  int64_t start = 0;
  int64_t step[Shape::kMaxRank] = {};
};

/// How a tensor of its own lies in its layout.
inline StridedView dense_view(const Fact& fact) {
  const int rank = fact.shape.rank();
  const bool channels_last = fact.layout == Layout::kChannelsLast && rank > 2;
  StridedView view;
  int64_t step = 1;
  const auto add = [&](int d) {
    view.step[d] = step;
    step *= fact.shape[d];
  };
  if (channels_last) add(1);
  for (int d = rank - 1; d >= 0; --d) {
    if (!channels_last || d != 1) add(d);
  }
  return view;
}

}  // namespace coracle::internal
