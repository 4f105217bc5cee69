// SPDX-License-Identifier: Apache-2.0
#include "run/program.h"

namespace coracle {

Program::Program(std::shared_ptr<const Graph> graph, KernelChoice choice)
    : graph_(std::move(graph)), selector_(std::move(choice)) {
  add(*graph_, "main");
  for (const UsedDevice& device : selector_.devices()) {
    constants_.push_back(std::make_unique<DeviceConstants>(device.open));
  }
}

void Program::add(const Graph& graph, const std::string& key) {
  infos_.emplace(&graph, GraphInfo{key, GraphUses(graph)});
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (size_t r = 0; r < node.regions.size(); ++r) add(*node.regions[r], text(key, "/", node.name, "/", r));
  }
}

}  // namespace coracle
