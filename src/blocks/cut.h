// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "blocks/choice.h"

namespace coracle::internal {

/// What became of a node when blocks were cut, for people.
struct CutNode {
  std::string graph;  ///< "main", or where its region is: "main/while_3/0"
  std::string node;
  std::string op;
  std::string makes;   ///< its first result that has a name; or empty
  std::string engine;  ///< empty if it runs natively
  std::string block;   ///< the name of the block's node; empty as above
  std::string cause;   ///< why engines do not run it; empty if one does
};

/// A block that was cut.
struct CutBlock {
  std::string name;            ///< of its node
  std::string engine;          ///< with its device
  int32_t graph = 0;           ///< number of the graph that it was cut of (numbered_graphs)
  std::vector<int32_t> nodes;  ///< places in that graph's order, rising
  const Graph* region = nullptr;
  int saved = -1;  ///< index among EngineChoice::saved, or -1
};

/// What cutting did.
struct CutReport {
  std::vector<CutBlock> cut;
  std::vector<CutNode> nodes;  ///< in the order of the program
  int blocks = 0;
  std::chrono::microseconds taken{0};  ///< by looking for blocks, and by cutting
};

/// The graph with blocks for engines as nodes (ops/control/engine_block.h), in its regions too; it has the same inputs,
/// outputs and names, and its nodes come in the same order as far as blocks let them. `disabled`: names of stages to
/// leave out. Where there is nothing to cut `graph` stays as it is.
CutReport cut_blocks(Graph& graph, const EngineChoice& choice, std::span<const std::string> disabled);

}  // namespace coracle::internal
