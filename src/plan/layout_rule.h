// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fact.h"

namespace coracle::internal {

/// Which element orders a kernel takes and gives. Ports marked `weight`, constants of one order only and values of
/// another rank than the first result stay row-major.
enum class LayoutRule : uint8_t {
  kRowMajor,
  kChannelsLast,  ///< operands and results channels-last
  kSame,          ///< any one order, the same for all: that of the operands
  kRelayout,      ///< whatever the planner set (relayout itself)
};

/// The order in which a kernel takes or gives a value of `shape`, at a port marked `weight` or not, where the first
/// result has `rank` dimensions and `common` is the order of all under LayoutRule::kSame.
inline Layout layout_of(LayoutRule rule, bool weight, const Shape& shape, int rank, Layout common) {
  if (weight || shape.rank() != rank || rank < 3) return Layout::kRowMajor;
  if (rule == LayoutRule::kChannelsLast) return Layout::kChannelsLast;
  return rule == LayoutRule::kSame ? common : Layout::kRowMajor;
}

}  // namespace coracle::internal
