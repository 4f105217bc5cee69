// SPDX-License-Identifier: Apache-2.0
#include "model/regions.h"

#include <algorithm>
#include <optional>

#include "ops/control/if.h"
#include "ops/control/while.h"

namespace coracle::internal {

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
    to.set_scope(added, node.scope);
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

namespace {

/// The values of `graph` that an `if` needs: what its regions have captured, and what it takes as a result.
std::vector<ValueId> captured_by_if(const Graph& graph, const ClosedRegion& yes, const ClosedRegion& no,
                                    std::span<const RegionOutputs> results) {
  std::vector<ValueId> captured = yes.captured;
  const auto add = [&](ValueId v) {
    if (v == kNoValue || graph.value(v).is_constant()) return;
    if (std::find(captured.begin(), captured.end(), v) == captured.end()) captured.push_back(v);
  };
  for (ValueId v : no.captured) add(v);
  for (const RegionOutputs& result : results) {
    add(result.yes.outer);
    add(result.no.outer);
  }
  return captured;
}

/// One region of an `if` in `graph`: `closed` with the chosen outputs, its inputs the `captured` values. If `blind`,
/// nothing is known of their types.
std::shared_ptr<Graph> region_of_if(const Graph& graph, const ClosedRegion& closed, std::span<const ValueId> captured,
                                    std::span<const RegionOutputs::Source> outputs, bool blind) {
  auto region = std::make_shared<Graph>();
  const WorkOnGraph work(*region, graph.context());
  std::vector<ValueId> inputs;
  for (ValueId v : captured) {
    Fact fact = blind ? joined(graph.fact(v), Fact::unknown()) : graph.fact(v);
    fact.value = nullptr;
    inputs.push_back(region->add_input(graph.value(v).name, std::move(fact)));
  }
  const auto inner = [&](ValueId v) {
    const Value& value = graph.value(v);
    if (value.is_constant()) return region->add_constant(*value.fact.value, value.name);
    return inputs[static_cast<size_t>(std::find(captured.begin(), captured.end(), v) - captured.begin())];
  };
  std::vector<ValueId> arguments;
  for (ValueId v : closed.captured) arguments.push_back(inner(v));
  const std::vector<ValueId> results = inline_graph(*closed.graph, *region, arguments);
  for (const RegionOutputs::Source& source : outputs) {
    if (source.outer != kNoValue) {
      region->add_output(inner(source.outer), graph.value(source.outer).name);
    } else {
      region->add_output(results.at(source.output), closed.graph->output_names()[source.output]);
    }
  }
  return region;
}

}  // namespace

NodeId add_if(Graph& graph, std::string name, ValueId condition, const ClosedRegion& yes, const ClosedRegion& no,
              std::span<const RegionOutputs> results) {
  const std::vector<ValueId> captured = captured_by_if(graph, yes, no, results);
  std::vector<std::shared_ptr<Graph>> regions;
  for (const ClosedRegion* closed : {&yes, &no}) {
    std::vector<RegionOutputs::Source> outputs;
    for (const RegionOutputs& result : results) outputs.push_back(closed == &yes ? result.yes : result.no);
    try {
      regions.push_back(region_of_if(graph, *closed, captured, outputs, /*blind=*/false));
    } catch (const Error&) {
      regions.push_back(region_of_if(graph, *closed, captured, outputs, /*blind=*/true));
    }
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

/// Infers what a branch makes of its inputs; where their types do not fit it, nothing is known (see import_branch).
void infer_branch(Graph& region) {
  try {
    region.infer_all();
  } catch (const Error&) {
    for (ValueId v : region.inputs()) region.set_input_fact(v, joined(region.fact(v), Fact::unknown()));
    region.infer_all();
  }
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
      const WorkOnGraph work(*region, graph.context());
      infer_branch(*region);
      refresh_regions(*region);
    }
  }
}

}  // namespace

ClosedRegion import_branch(int& retries, const std::function<ClosedRegion(bool blind)>& import) {
  try {
    return import(false);
  } catch (const Error& refused) {
    if (refused.code() != ErrorCode::kInvalidModel || ++retries > kMaxBranchRetries) throw;
    try {
      return import(true);
    } catch (const Error&) {
      throw refused;
    }
  }
}

std::shared_ptr<Graph> import_loop(std::vector<Fact>& types,
                                   const std::function<std::shared_ptr<Graph>(std::span<const Fact>)>& import) {
  std::optional<Error> refused;
  for (int round = 0;; ++round) {
    std::shared_ptr<Graph> region;
    try {
      region = import(types);
    } catch (const Error& e) {
      if (!refused) refused = e;
      if (std::none_of(types.begin(), types.end(), [](const Fact& f) { return f.type_known(); })) {
        throw *refused;
      }
      for (Fact& f : types) f = joined(f, Fact::unknown());
      continue;
    }
    bool fits = true;
    for (size_t i = 0; i < types.size(); ++i) {
      Fact either = joined(types[i], region->fact(region->outputs()[i]));
      if (same_type(either, types[i])) continue;
      types[i] = std::move(either);
      fits = false;
    }
    if (fits) return region;
    if (round < kMaxLoopRounds) continue;
    for (Fact& f : types) f = joined(f, Fact::unknown());
  }
}

void widen_region(Graph& graph, NodeId loop) {
  const Node& node = graph.node(loop);
  Graph& region = *node.regions.front();
  const WorkOnGraph work(region, graph.context());
  const size_t carried = node.outputs.size();
  for (size_t i = 0; i < region.inputs().size(); ++i) {
    const bool is_carried = i > 0 && i <= carried;
    region.set_input_fact(region.inputs()[i],
                          without_value(graph.fact(is_carried ? node.outputs[i - 1] : node.inputs[i])));
  }
  region.infer_all();
  Fact condition = region.fact(region.inputs()[0]);
  Fact either = joined(condition, region.fact(region.outputs()[0]));
  if (!same_type(either, condition)) {
    region.set_input_fact(region.inputs()[0], std::move(either));
    region.infer_all();
  }
  refresh_regions(region);
}

}  // namespace coracle::internal
