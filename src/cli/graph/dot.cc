// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "cli/graph/drawing.h"

namespace coracle::cli {
namespace {

std::string quoted(const std::string& s) {
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
  explicit Writer(std::string& out) : out_(out) {}

  void write(const GraphText& graph, const std::string& indent) {
    const std::string prefix = "g" + std::to_string(graphs_++) + "_";
    std::map<std::string, std::pair<std::string, std::string>> made;  // id: vertex and type
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const GraphValue& v = graph.inputs[i];
      const std::string vertex = prefix + "in" + std::to_string(i);
      made[v.id] = {vertex, v.type};
      line(indent, vertex + " [shape=ellipse, label=" + quoted(v.name.empty() ? v.id : v.name) + "]");
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
      line(indent, vertex + " [shape=ellipse, label=" + quoted(v.name.empty() ? v.id : v.name) + "]");
      edge(indent, made, v.id, vertex);
    }
  }

 private:
  void line(const std::string& indent, const std::string& text, const char* end = ";") {
    out_.append(indent).append(text).append(end).append("\n");
  }
  void open(const std::string& indent, const std::string& title) {
    line(indent, "subgraph cluster_" + std::to_string(clusters_++) + " {", "");
    line(indent + "  ", "label=" + quoted(title));
  }
  void node(const GraphNode& n, const std::string& vertex, const std::string& indent) {
    line(indent, vertex + " [shape=box, label=" + quoted(n.op) + ", tooltip=" + quoted(n.attributes) + "]");
    for (size_t r = 0; r < n.regions.size(); ++r) {
      open(indent, n.op + ", region " + std::to_string(r));
      write(n.regions[r], indent + "  ");
      line(indent, "}", "");
    }
  }
  template <class Made>
  void edge(const std::string& indent, const Made& made, const std::string& id, const std::string& to) {
    const auto from = made.find(id);
    if (from == made.end()) return;  // a constant
    line(indent, from->second.first + " -> " + to + " [label=" + quoted(from->second.second) + "]");
  }

  std::string& out_;
  int graphs_ = 0;
  int clusters_ = 0;
};

}  // namespace

std::string graph_dot(const GraphText& graph) {
  std::string out = "digraph model {\n";
  Writer(out).write(graph, "  ");
  return out + "}\n";
}

}  // namespace coracle::cli
