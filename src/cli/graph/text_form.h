// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Graphs as the library prints them (coracle_model_graph_text; docs/graph-and-passes.md has the form), for drawing.
namespace coracle::cli {

struct GraphValue {
  std::string id;    ///< "%0", "%x1" or "@c2", in its own graph
  std::string name;  ///< of the variable, as text; or empty
  std::string type;  ///< "float32[?, 3]"
};

struct GraphText;

struct GraphNode {
  std::string op;
  std::string name;                 ///< "conv2d_3", as explain and marks have it
  std::string attributes;           ///< "strides = [2, 2], groups = 8"; or empty
  std::vector<std::string> inputs;  ///< ids, without what is absent
  std::vector<GraphValue> outputs;
  std::vector<GraphText> regions;
  std::string engine;  ///< that runs the region as a block; or empty
  std::string cause;   ///< why no engine runs it, where that was asked and is known
};

struct GraphText {
  std::vector<GraphValue> inputs;
  std::vector<GraphValue> constants;
  std::vector<GraphNode> nodes;     ///< in the order in which they run
  std::vector<GraphValue> outputs;  ///< the id of a value, and the name of the output
};

/// Throws Failure if it is no such text.
GraphText parse_graph(std::string_view text);

}  // namespace coracle::cli
