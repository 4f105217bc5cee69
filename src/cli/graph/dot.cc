// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "cli/graph/drawing.h"
#include "cli/graph/engines.h"

namespace coracle::cli {
namespace {

std::string dot_string(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "\"";
}

/// Writes a graph and its regions; vertices are called by a prefix per graph: "g0_n3".
class Writer {
 public:
  Writer(std::string& out, std::vector<std::string> engines) : out_(out), engines_(std::move(engines)) {}

  /// A cluster with the colour of each engine, if there is any.
  void legend(const std::string& indent) {
    if (engines_.empty()) return;
    line(indent, "subgraph cluster_legend {", "");
    line(indent + "  ", "label=\"engines\"");
    for (size_t i = 0; i < engines_.size(); ++i) {
      line(indent + "  ",
           "legend" + std::to_string(i) + " [shape=box, label=" + dot_string(engines_[i]) + filled(engines_[i]) + "]");
    }
    line(indent + "  ", "natively [shape=box]");
    line(indent, "}", "");
  }

  void write(const GraphText& graph, const std::string& indent) {
    const std::string prefix = "g" + std::to_string(graphs_++) + "_";
    std::map<std::string, std::pair<std::string, std::string>> made;  // id: vertex and type
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const GraphValue& v = graph.inputs[i];
      const std::string vertex = prefix + "in" + std::to_string(i);
      made[v.id] = {vertex, v.type};
      line(indent, vertex + " [shape=ellipse, label=" + dot_string(v.name.empty() ? v.id : v.name) + "]");
    }
    const std::vector<Group> groups = groups_of(graph);
    for (const Group& group : groups) {
      const bool framed = groups.size() > 1 && group.end - group.begin > 1;
      if (framed) open(indent, group_title(graph, group));
      for (size_t i = group.begin; i < group.end; ++i)
        node(graph.nodes[i], prefix + "n" + std::to_string(i), indent + (framed ? "  " : ""));
      if (framed) line(indent, "}", "");
    }
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const std::string vertex = prefix + "n" + std::to_string(i);
      for (const std::string& id : graph.nodes[i].inputs) edge(indent, made, id, vertex);
      for (const GraphValue& v : graph.nodes[i].outputs) made[v.id] = {vertex, v.type};
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
      const std::string vertex = prefix + "out" + std::to_string(i);
      const GraphValue& v = graph.outputs[i];
      line(indent, vertex + " [shape=ellipse, label=" + dot_string(v.name.empty() ? v.id : v.name) + "]");
      edge(indent, made, v.id, vertex);
    }
  }

 private:
  void line(const std::string& indent, const std::string& text, const char* end = ";") {
    out_.append(indent).append(text).append(end).append("\n");
  }
  void open(const std::string& indent, const std::string& title) {
    line(indent, "subgraph cluster_" + std::to_string(clusters_++) + " {", "");
    line(indent + "  ", "label=" + dot_string(title));
  }
  /// Of a part that an engine runs; else empty.
  std::string colour(const std::string& engine) const {
    const auto at = std::find(engines_.begin(), engines_.end(), engine);
    return at == engines_.end() ? "" : engine_colour(static_cast<size_t>(at - engines_.begin()));
  }
  /// ", style=filled, fillcolor=..." for such a part.
  std::string filled(const std::string& engine) const {
    const std::string with = colour(engine);
    return with.empty() ? "" : ", style=filled, fillcolor=\"" + with + "\"";
  }
  void node(const GraphNode& n, const std::string& vertex, const std::string& indent) {
    std::string tip = n.attributes;
    for (const std::string& part : {n.cause, n.name}) tip += (tip.empty() || part.empty() ? "" : "\n") + part;
    line(indent,
         vertex + " [shape=box, label=" + dot_string(n.op) + ", tooltip=" + dot_string(tip) + filled(n.engine) + "]");
    for (size_t r = 0; r < n.regions.size(); ++r) {
      open(indent, n.engine.empty() ? n.op + ", region " + std::to_string(r) : "on " + n.engine);
      if (!n.engine.empty())
        line(indent + "  ", "style=filled; fillcolor=\"" + colour(n.engine) + "\"; tooltip=" + dot_string(n.engine));
      write(n.regions[r], indent + "  ");
      line(indent, "}", "");
    }
  }
  template <class Made>
  void edge(const std::string& indent, const Made& made, const std::string& id, const std::string& to) {
    const auto from = made.find(id);
    if (from == made.end()) return;  // a constant
    line(indent, from->second.first + " -> " + to + " [label=" + dot_string(from->second.second) + "]");
  }

  std::string& out_;
  std::vector<std::string> engines_;
  int graphs_ = 0;
  int clusters_ = 0;
};

}  // namespace

std::string graph_dot(const GraphText& graph) {
  std::string out = "digraph model {\n";
  Writer writer(out, engines_of(graph));
  writer.legend("  ");
  writer.write(graph, "  ");
  return out + "}\n";
}

}  // namespace coracle::cli
