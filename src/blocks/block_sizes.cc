// SPDX-License-Identifier: Apache-2.0
#include "blocks/block_sizes.h"

#include <algorithm>

#include "ops/control/engine_block.h"
#include "run/fact_key.h"

namespace coracle::internal {
namespace {

std::vector<Fact> facts_at(const RunContext& context, const Graph& graph, std::span<const ShapeRange> ranges,
                           std::vector<int64_t> ShapeRange::*which, const char* what) {
  std::vector<Fact> inputs;
  for (const ValueId v : graph.inputs()) {
    inputs.push_back(graph.value(v).fact);
    const auto is_it = [&](const ShapeRange& r) { return r.input == graph.value(v).name; };
    const auto found = std::find_if(ranges.begin(), ranges.end(), is_it);
    if (found != ranges.end()) inputs.back().shape = Shape((*found).*which);
  }
  try {
    return infer_graph(context, graph, inputs);
  } catch (Error& e) {
    e.add_context(text("inferring sizes from the ", what, " of shapes"));
    throw;
  }
}

}  // namespace

bool same_but_sizes(std::span<const Fact> a, std::span<const Fact> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Fact& x, const Fact& y) {
    std::string keys[2];
    append_kind(keys[0], x);
    append_kind(keys[1], y);
    return keys[0] == keys[1];
  });
}

std::vector<VaryingDim> differences(std::span<const std::vector<Fact>> operands) {
  std::vector<VaryingDim> varying;
  if (operands.empty()) return varying;
  const std::vector<Fact>& first = operands[0];
  for (size_t i = 0; i < first.size(); ++i) {
    for (int d = 0; d < first[i].shape.rank(); ++d) {
      const auto differs = [&](const std::vector<Fact>& other) { return other[i].shape[d] != first[i].shape[d]; };
      if (std::any_of(operands.begin(), operands.end(), differs)) {
        varying.push_back({.input = static_cast<int32_t>(i), .dim = d});
      }
    }
  }
  return varying;
}

bool within(std::span<const Fact> a, std::span<const VaryingDim> varying, std::span<const Fact> b) {
  if (!same_but_sizes(a, b)) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    for (int d = 0; d < a[i].shape.rank(); ++d) {
      const auto is_it = [&](const VaryingDim& v) { return v.input == static_cast<int32_t>(i) && v.dim == d; };
      const auto found = std::find_if(varying.begin(), varying.end(), is_it);
      const int64_t size = b[i].shape[d];
      if (found == varying.end() ? size != a[i].shape[d] : size < found->min || size > found->max) return false;
    }
  }
  return true;
}

bool BlockRange::contains(std::span<const Fact> operands) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& shape = operands[i].shape;
    if (shape.rank() != min[i].rank()) return false;
    for (int d = 0; d < shape.rank(); ++d) {
      if (shape[d] < min[i][d] || shape[d] > max[i][d]) return false;
    }
  }
  return true;
}

std::vector<VaryingDim> BlockRange::varying() const {
  std::vector<VaryingDim> all;
  for (size_t i = 0; i < min.size(); ++i) {
    for (int d = 0; d < min[i].rank(); ++d) {
      if (min[i][d] == max[i][d]) continue;
      all.push_back({.input = static_cast<int32_t>(i), .dim = d, .min = min[i][d], .max = max[i][d]});
    }
  }
  return all;
}

std::unordered_map<const Graph*, BlockRange> block_ranges(const RunContext& context, const Graph& graph,
                                                          std::span<const ShapeRange> inputs) {
  std::unordered_map<const Graph*, BlockRange> ranges;
  if (inputs.empty()) return ranges;
  const std::vector<Fact> at[] = {facts_at(context, graph, inputs, &ShapeRange::min, "least sizes"),
                                  facts_at(context, graph, inputs, &ShapeRange::opt, "usual sizes"),
                                  facts_at(context, graph, inputs, &ShapeRange::max, "largest sizes")};
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!node.op.is<EngineBlock>()) continue;
    BlockRange range;
    for (const ValueId v : node.inputs) {
      const Shape& first = at[0][index(v)].shape;
      Shape least = first;
      Shape most = first;
      for (const std::vector<Fact>& facts : at) {
        const Fact& f = facts[index(v)];
        if (!f.known() || f.is_array || f.shape.rank() != first.rank()) break;
        for (int d = 0; d < first.rank(); ++d) {
          least[d] = std::min(least[d], f.shape[d]);
          most[d] = std::max(most[d], f.shape[d]);
        }
        if (&facts != &at[2]) continue;
        range.min.push_back(least);
        range.max.push_back(most);
      }
    }
    if (range.min.size() == node.inputs.size()) ranges.emplace(node.regions.at(0).get(), std::move(range));
  }
  return ranges;
}

}  // namespace coracle::internal
