// SPDX-License-Identifier: Apache-2.0
#include "graph/dot.h"

namespace coracle::internal {
namespace {

std::string in_dot_quotes(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (c != '\n') out.push_back(c);
  }
  return out + "\"";
}

/// Writes a graph and its regions; vertices are called by a prefix per graph, "g0_n3".
class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  void write(const Graph& graph, const std::string& indent) {
    const std::string prefix = text("g", graphs_++, "_");
    const auto vertex = [&](ValueId v) {
      const Value& value = graph.value(v);
      return value.producer == kNoNode ? text(prefix, "in", index(v)) : text(prefix, "n", index(value.producer));
    };
    const auto edge = [&](ValueId v, const std::string& to) {
      if (graph.value(v).is_constant()) return;
      out_.append(indent).append(vertex(v)).append(" -> ").append(to);
      out_.append(" [label=").append(in_dot_quotes(text(graph.fact(v)))).append("];\n");
    };
    for (ValueId v : graph.inputs()) {
      out_.append(indent).append(vertex(v)).append(" [shape=ellipse, label=");
      out_.append(in_dot_quotes(graph.value(v).name)).append("];\n");
    }
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      const std::string name = text(prefix, "n", index(id));
      out_.append(indent).append(name).append(" [shape=box, label=").append(in_dot_quotes(node.name)).append("];\n");
      for (ValueId v : node.inputs) edge(v, name);
      for (const std::shared_ptr<Graph>& region : node.regions) {
        out_.append(indent).append(text("subgraph cluster_", graphs_, " {\n"));
        out_.append(indent).append("  label=").append(in_dot_quotes(node.name)).append(";\n");
        write(*region, indent + "  ");
        out_.append(indent).append("}\n");
      }
    }
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      const std::string name = text(prefix, "out", i);
      out_.append(indent).append(name).append(" [shape=ellipse, label=");
      out_.append(in_dot_quotes(graph.output_names()[i])).append("];\n");
      edge(graph.outputs()[i], name);
    }
  }

 private:
  std::string& out_;
  int graphs_ = 0;
};

}  // namespace

std::string dot(const Graph& graph) {
  std::string out = "digraph model {\n";
  Writer(out).write(graph, "  ");
  return out + "}\n";
}

}  // namespace coracle::internal
