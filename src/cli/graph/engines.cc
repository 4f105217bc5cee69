// SPDX-License-Identifier: Apache-2.0
#include "cli/graph/engines.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/json.h"

namespace coracle::cli {
namespace {

using Causes = std::unordered_map<std::string, std::string>;

void add_engines(const GraphText& graph, std::vector<std::string>& engines) {
  for (const GraphNode& n : graph.nodes) {
    if (!n.engine.empty() && std::find(engines.begin(), engines.end(), n.engine) == engines.end()) {
      engines.push_back(n.engine);
    }
    for (const GraphText& region : n.regions) add_engines(region, engines);
  }
}

void tell(GraphText& graph, const Causes& causes) {
  for (GraphNode& n : graph.nodes) {
    if (!n.engine.empty()) continue;  // what it holds runs there
    for (const GraphValue& v : n.outputs) {
      const auto known = causes.find(v.name);
      if (known != causes.end() && n.cause.empty()) n.cause = known->second;
    }
    for (GraphText& region : n.regions) tell(region, causes);
  }
}

}  // namespace

std::vector<std::string> engines_of(const GraphText& graph) {
  std::vector<std::string> engines;
  add_engines(graph, engines);
  return engines;
}

const char* engine_colour(size_t engine) {
  static constexpr const char* kColours[] = {"#bfe3c8", "#f6d5a6", "#cfd4f5", "#f3c4d6", "#c6e7ee"};
  return kColours[engine % std::size(kColours)];
}

void add_causes(GraphText& graph, const std::string& engines) {
  internal::JsonDocument d;
  d.Parse(engines.c_str());
  Causes causes;
  for (const internal::JsonValue& n : d["nodes"].GetArray()) {
    if (n.HasMember("cause") && n.HasMember("makes")) causes.emplace(n["makes"].GetString(), n["cause"].GetString());
  }
  tell(graph, causes);
}

}  // namespace coracle::cli
