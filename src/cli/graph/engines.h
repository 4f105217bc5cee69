// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/graph/text_form.h"

namespace coracle::cli {

/// The engines that run blocks of a graph and of its regions, in the order of their first blocks.
std::vector<std::string> engines_of(const GraphText& graph);

/// A colour for the n-th engine, for texts in black on it; they come again.
const char* engine_colour(size_t engine);

/// Gives nodes that no engine runs the reasons that `engines` (coracle_model_engines) tells, by the variables that they
/// make.
void add_causes(GraphText& graph, const std::string& engines);

}  // namespace coracle::cli
