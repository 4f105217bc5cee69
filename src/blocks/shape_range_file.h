// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "blocks/choice.h"

namespace coracle::internal {

/// The sizes of variables in a file that Paddle's CollectShapeRangeInfo writes: the protobuf text of ShapeRangeInfos.
/// Fields that it does not know are passed over. Throws Error, with the line, for what is no such text, and where a
/// variable does not have as many least as usual and largest sizes.
std::vector<ShapeRange> parse_shape_range_file(std::string_view text);

/// Moves what `choice.variables` says of inputs of the graph to `choice.shapes`, unless that names them, or they have
/// another number of dimensions.
void add_known_ranges(const Graph& graph, EngineChoice& choice);

}  // namespace coracle::internal
