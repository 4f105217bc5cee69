// SPDX-License-Identifier: Apache-2.0
#include "run/program.h"

#include "ops/control/if.h"
#include "ops/control/while.h"
#include "run/loop_cut.h"

namespace coracle::internal {

Program::Program(std::shared_ptr<const Graph> graph, const ProgramOptions& options, std::vector<PackedConstants> saved,
                 std::shared_ptr<BlockRunners> blocks)
    : graph_(std::move(graph)),
      selector_(options.kernels),
      packed_(options.weights_cache_bytes, std::move(saved)),
      blocks_(std::move(blocks)),
      device_runner_(options.device_runner) {
  require(device_runner_ != nullptr || selector_.devices().empty(), ErrorCode::kInvalidArgument,
          "the program is to use devices, and was given nothing that runs steps there: see make_device_runner");
  add(*graph_, "main");
  int32_t number = 0;
  for (const Graph* g : numbered_graphs(*graph_)) infos_.at(g).number = number++;
  for (const UsedDevice& device : selector_.devices()) {
    constants_.push_back(std::make_unique<DeviceConstants>(device.open));
  }
}

size_t Program::device_bytes() const {
  size_t bytes = 0;
  for (const std::unique_ptr<DeviceConstants>& constants : constants_) bytes += constants->bytes();
  return bytes;
}

void Program::add(const Graph& graph, const std::string& key) {
  infos_.emplace(&graph, GraphInfo{.key = key, .uses = GraphUses(graph)});
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (size_t r = 0; r < node.regions.size(); ++r) {
      const Graph& region = *node.regions[r];
      add(region, text(key, "/", node.name, "/", r));
      // The first result of a loop's body is its condition.
      if (!node.op.is<While>() && !node.op.is<If>()) continue;
      infos_.at(&region).stay.assign(region.outputs().begin() + (node.op.is<While>() ? 1 : 0), region.outputs().end());
    }
    if (node.op.is<While>()) infos_.at(node.regions.at(0).get()).cut = loop_cut(*node.regions.at(0));
  }
}

}  // namespace coracle::internal
