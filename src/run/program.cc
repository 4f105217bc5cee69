// SPDX-License-Identifier: Apache-2.0
#include "run/program.h"

namespace coracle {

Program::Program(std::shared_ptr<const Graph> graph, const ModelOptions& options)
    : graph_(std::move(graph)), selector_(options.kernels) {
  add(*graph_, "main");
}

void Program::add(const Graph& graph, const std::string& key) {
  infos_.emplace(&graph, GraphInfo{key, GraphUses(graph)});
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (size_t r = 0; r < node.regions.size(); ++r) add(*node.regions[r], text(key, "/", node.name, "/", r));
  }
}

}  // namespace coracle
