// SPDX-License-Identifier: Apache-2.0
#include "base/shortest.h"
#include "graph/text.h"
#include "graph/text_attributes.h"

namespace coracle::internal {
namespace {

constexpr int64_t kMaxWritten = 8;
constexpr int64_t kMaxWrittenWhole = 64;  // what inference computes with

/// Prints one graph; each region has a printer of its own.
class Printer {
 public:
  Printer(const Graph& graph, NodeNames node_names)
      : graph_(graph), node_names_(node_names), names_(graph.value_count(), "?") {}

  void print(std::string& out, const std::string& indent) {
    out.append("graph (");
    int number = 0;
    for (ValueId v : graph_.inputs()) names_[index(v)] = text("%x", number++);
    out.append(joined(graph_.inputs(), [&](ValueId v) { return definition(v); }));
    out.append(") {\n");
    number = 0;
    for (ValueId v : used_constants()) {
      names_[index(v)] = text("@c", number++);
      out.append(indent).append("  ").append(definition(v)).append(" = ").append(elements(v)).append("\n");
    }
    for (NodeId id : graph_.order()) node(out, graph_.node(id), indent + "  ");
    out.append(indent).append("  return");
    for (size_t n = 0; n < graph_.outputs().size(); ++n) {
      out.append(n == 0 ? " " : ", ").append(names_[index(graph_.outputs()[n])]);
      const std::string& name = graph_.output_names()[n];
      if (!name.empty()) out.append(" ").append(quoted(name));
    }
    out.append("\n").append(indent).append("}");
  }

 private:
  /// Constants in the order of their first use.
  std::vector<ValueId> used_constants() const {
    std::vector<ValueId> constants;
    std::vector<bool> seen(graph_.value_count(), false);
    const auto use = [&](ValueId v) {
      if (seen[index(v)] || !graph_.value(v).is_constant()) return;
      seen[index(v)] = true;
      constants.push_back(v);
    };
    for (NodeId id : graph_.order()) {
      for (ValueId v : graph_.node(id).inputs) use(v);
    }
    for (ValueId v : graph_.outputs()) use(v);
    return constants;
  }

  /// %0 "name": float32[1]
  std::string definition(ValueId v) const {
    const Value& value = graph_.value(v);
    return text(names_[index(v)], value.name.empty() ? "" : " ", value.name.empty() ? "" : quoted(value.name), ": ",
                value.fact);
  }

  std::string elements(ValueId v) const {
    const Fact& f = graph_.fact(v);
    const int64_t most = is_float(f.dtype) || is_float8(f.dtype) ? kMaxWritten : kMaxWrittenWhole;
    if (f.shape.count() > most || is_complex(f.dtype)) return text("random(", f.bytes(), ")");
    std::string out = "{";
    for (int64_t i = 0; i < f.shape.count(); ++i) {
      out.append(i == 0 ? "" : ", ");
      if (is_float8(f.dtype)) {
        visit_float8(f.dtype, [&](auto* p) {
          out.append(shortest(static_cast<float>(f.value->data<std::remove_pointer_t<decltype(p)>>()[i])));
        });
      } else if (!is_float(f.dtype)) {
        out.append(std::to_string(f.value->integer(i)));
      } else if (f.dtype == DType::kFloat64) {
        out.append(shortest(f.value->number(i)));
      } else {
        out.append(shortest(static_cast<float>(f.value->number(i))));
      }
    }
    return out + "}";
  }

  void node(std::string& out, const Node& n, const std::string& indent) {
    for (ValueId v : n.outputs) names_[index(v)] = text("%", next_++);
    const std::string results =
        ports(n.op.schema().outputs, n.output_counts, n.outputs, [&](ValueId v) { return definition(v); });
    out.append(indent).append(results).append(results.empty() ? "" : " = ").append(n.op.name()).append("(");
    out.append(ports(n.op.schema().inputs, n.input_counts, n.inputs, [&](ValueId v) { return names_[index(v)]; }));
    out.append(")").append(print_attributes(n.op));
    if (n.lod_from == kNoLod) out.append(" lod none");
    if (n.lod_from >= 0) out.append(text(" lod ", n.lod_from));
    if (!n.scope.empty()) out.append(" scope ").append(quoted(n.scope));
    for (const std::shared_ptr<Graph>& region : n.regions) {
      out.append(" ");
      Printer(*region, node_names_).print(out, indent);
    }
    if (node_names_ == NodeNames::kAsComments && !n.name.empty()) out.append("  # ").append(quoted(n.name));
    out.append("\n");
  }

  template <class F>
  static std::string ports(std::span<const Port> all, const PortCounts& counts, const std::vector<ValueId>& values,
                           const F& each) {
    std::vector<std::string> parts;
    size_t flat = 0;
    for (size_t p = 0; p < counts.size(); ++p) {
      std::vector<std::string> here;
      for (int i = 0; i < counts[p]; ++i) here.push_back(each(values[flat++]));
      const auto same = [](const std::string& s) { return s; };
      if (all[p].kind == Port::Kind::kList) {
        parts.push_back(text("[", joined(here, same), "]"));
      } else {
        parts.push_back(here.empty() ? "_" : here.front());
      }
    }
    while (!parts.empty() && parts.back() == "_") parts.pop_back();
    return joined(parts, [](const std::string& s) { return s; });
  }

  const Graph& graph_;
  const NodeNames node_names_;
  std::vector<std::string> names_;  ///< of values
  int next_ = 0;
};

}  // namespace

std::string print(const Graph& graph, NodeNames names) {
  std::string out;
  Printer(graph, names).print(out, "");
  return out + "\n";
}

}  // namespace coracle::internal
