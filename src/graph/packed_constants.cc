// SPDX-License-Identifier: Apache-2.0
#include "graph/packed_constants.h"

#include "base/printable.h"
#include "graph/graph.h"

namespace coracle::internal {

[[gnu::cold]] std::string describe(const PackedKey& key) {
  std::string name =
      "the packed weights " + printable(key.layout) + " of graph " + std::to_string(key.graph) + ", values";
  for (int32_t v : key.values) name.append(" ").append(std::to_string(v));
  return name;
}

[[gnu::cold]] std::vector<const Graph*> numbered_graphs(const Graph& graph) {
  std::vector<const Graph*> graphs{&graph};
  for (size_t i = 0; i < graphs.size(); ++i) {
    for (NodeId id : graphs[i]->order()) {
      for (const std::shared_ptr<Graph>& region : graphs[i]->node(id).regions) graphs.push_back(region.get());
    }
  }
  return graphs;
}

}  // namespace coracle::internal
