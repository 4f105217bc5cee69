// SPDX-License-Identifier: Apache-2.0
#include "model/regions.h"

#include <algorithm>

#include "ops/if.h"
#include "ops/while.h"

namespace coracle {

std::vector<ValueId> inline_graph(const Graph& from, Graph& to, std::span<const ValueId> arguments) {
  std::vector<ValueId> copies(from.value_count(), kNoValue);
  for (size_t i = 0; i < arguments.size(); ++i) copies[index(from.inputs()[i])] = arguments[i];
  const auto copy_of = [&](ValueId v) {
    ValueId& copy = copies[index(v)];
    if (copy == kNoValue) copy = to.add_constant(*from.fact(v).value, from.value(v).name);
    return copy;
  };
  for (NodeId id : from.order()) {
    const Node& node = from.node(id);
    PortValues inputs;
    size_t flat = 0;
    for (int count : node.input_counts) {
      std::vector<ValueId>& port = inputs.emplace_back();
      for (int i = 0; i < count; ++i) port.push_back(copy_of(node.inputs[flat++]));
    }
    const NodeId added = to.add_node(node.op, inputs, node.output_counts, node.name, node.regions);
    if (node.lod_from != kLodByOperator) to.set_lod_from(added, node.lod_from);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = to.node(added).outputs[i];
      to.set_name(output, from.value(node.outputs[i]).name);
      copies[index(node.outputs[i])] = output;
    }
  }
  std::vector<ValueId> outputs;
  for (ValueId v : from.outputs()) outputs.push_back(copy_of(v));
  return outputs;
}

NodeId add_if(Graph& graph, std::string name, ValueId condition, const ClosedRegion& yes, const ClosedRegion& no,
              std::span<const RegionOutputs> results) {
  std::vector<ValueId> captured = yes.captured;
  for (ValueId v : no.captured) {
    if (std::find(captured.begin(), captured.end(), v) == captured.end()) captured.push_back(v);
  }
  std::vector<std::shared_ptr<Graph>> regions;
  for (const ClosedRegion* closed : {&yes, &no}) {
    auto region = std::make_shared<Graph>();
    std::vector<ValueId> inputs;
    for (ValueId v : captured) {
      Fact fact = graph.fact(v);
      fact.value = nullptr;
      inputs.push_back(region->add_input(graph.value(v).name, std::move(fact)));
    }
    std::vector<ValueId> arguments;
    for (ValueId v : closed->captured) {
      arguments.push_back(
          inputs[static_cast<size_t>(std::find(captured.begin(), captured.end(), v) - captured.begin())]);
    }
    const std::vector<ValueId> outputs = inline_graph(*closed->graph, *region, arguments);
    for (const RegionOutputs& result : results) {
      const size_t i = closed == &yes ? result.yes : result.no;
      region->add_output(outputs.at(i), closed->graph->output_names()[i]);
    }
    regions.push_back(std::move(region));
  }
  const PortCounts counts{static_cast<int>(results.size())};
  return graph.add_node(If{}, {{condition}, captured}, counts, std::move(name), std::move(regions));
}

namespace {

/// The type of a value as a region may rely on it: what is known of its elements comes with the operands of each run.
Fact without_value(Fact fact) {
  fact.value = nullptr;
  return fact;
}

/// Types that changed outside reach the regions of all nodes.
void refresh_regions(Graph& graph) {
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op.is<While>()) widen_region(graph, id);
    if (!node.op.is<If>()) continue;
    for (const std::shared_ptr<Graph>& region : node.regions) {
      for (size_t i = 0; i < region->inputs().size(); ++i) {
        region->set_input_fact(region->inputs()[i], without_value(graph.fact(node.inputs[i + 1])));
      }
      region->infer_all();
      refresh_regions(*region);
    }
  }
}

}  // namespace

void widen_region(Graph& graph, NodeId loop) {
  const Node& node = graph.node(loop);
  Graph& region = *node.regions.front();
  const size_t carried = node.outputs.size();
  for (size_t i = 0; i < region.inputs().size(); ++i) {
    const bool is_carried = i > 0 && i <= carried;
    region.set_input_fact(region.inputs()[i],
                          without_value(graph.fact(is_carried ? node.outputs[i - 1] : node.inputs[i])));
  }
  region.infer_all();
  Fact condition = region.fact(region.inputs()[0]);
  if (!(region.fact(region.outputs()[0]).shape == condition.shape)) {
    condition.shape = Shape::unknown_rank();
    region.set_input_fact(region.inputs()[0], condition);
    region.infer_all();
  }
  refresh_regions(region);
}

}  // namespace coracle
