// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "blocks/choice.h"

/// Sizes that blocks of engines have beside those of a run.
namespace coracle::internal {

/// True if operands of a block differ in sizes alone, and in elements that are known of both: types, ranks and sequence
/// offsets are the same.
bool same_but_sizes(std::span<const Fact> a, std::span<const Fact> b);

/// The dimensions in which operands differ that are the same but for sizes, without bounds.
std::vector<VaryingDim> differences(std::span<const std::vector<Fact>> operands);

/// True if `b` is `a` but for its varying dimensions, which are within their bounds.
bool within(std::span<const Fact> a, std::span<const VaryingDim> varying, std::span<const Fact> b);

/// The least and largest sizes of a block's operands.
struct BlockRange {
  std::vector<Shape> min, max;  ///< by operand
  bool contains(std::span<const Fact> operands) const;
  std::vector<VaryingDim> varying() const;
};

/// The ranges of the blocks of a graph that follow from those of its inputs; none for those where sizes follow from
/// data too, or that are in regions. Throws Error where the graph does not take the sizes.
std::unordered_map<const Graph*, BlockRange> block_ranges(const RunContext& context, const Graph& graph,
                                                          std::span<const ShapeRange> inputs);

}  // namespace coracle::internal
