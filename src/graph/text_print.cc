// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "graph/text.h"

namespace coracle {
namespace {

constexpr int64_t kMaxWritten = 8;

std::string real(double value) {
  char buffer[40];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return {buffer, result.ptr};
}

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c == '\n' ? ' ' : c);
  }
  return out + "\"";
}

template <class List, class F>
std::string joined(const List& list, const F& each) {
  std::string out;
  for (const auto& item : list) out.append(out.empty() ? "" : ", ").append(each(item));
  return out;
}

std::string written(bool v) { return v ? "true" : "false"; }
std::string written(int64_t v) { return std::to_string(v); }
std::string written(double v) { return real(v); }
std::string written(const std::string& v) { return quoted(v); }
std::string written(const Ints& v) {
  return "[" + joined(v, [](int64_t i) { return std::to_string(i); }) + "]";
}
std::string written(const Floats& v) {
  return "[" + joined(v, [](double d) { return real(d); }) + "]";
}
std::string written(const Strings& v) {
  return "[" + joined(v, [](const std::string& s) { return quoted(s); }) + "]";
}
std::string written(DType v) { return std::string(name_of(v)); }
std::string written(const std::optional<DType>& v) { return v ? std::string(name_of(*v)) : "none"; }
std::string written(const EnumRef& v) { return std::string(v.names[static_cast<size_t>(v.value)]); }

/// Collects "name = value" of all fields.
class Collector : public AttributeVisitor {
 public:
  std::vector<std::pair<std::string, std::string>> fields;

 protected:
  void visit(std::string_view name, std::string_view, AttributeRef field) override {
    fields.emplace_back(name, std::visit([](auto* p) { return written(*p); }, field));
  }
};

std::string attributes(const Op& op) {
  Collector mine;
  Collector defaults;
  op.row().visit(op.row().make(op.attributes()).get(), mine);
  op.row().visit(op.row().make(nullptr).get(), defaults);
  std::string out;
  for (size_t i = 0; i < mine.fields.size(); ++i) {
    if (i < defaults.fields.size() && mine.fields[i] == defaults.fields[i]) continue;
    out.append(out.empty() ? " {" : ", ").append(mine.fields[i].first).append(" = ").append(mine.fields[i].second);
  }
  return out.empty() ? out : out + "}";
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph), names_(graph.value_count()) {}

  void print(std::string& out, const std::string& indent) {
    out.append("graph (");
    for (ValueId v : graph_.inputs()) names_[index(v)] = text("%i", static_cast<int>(v));
    out.append(joined(graph_.inputs(), [&](ValueId v) { return text(names_[index(v)], ": ", graph_.fact(v)); }));
    out.append(") {\n");
    std::vector<int> uses = graph_.use_counts();
    for (size_t i = 0; i < graph_.value_count(); ++i) {
      const ValueId v{static_cast<int32_t>(i)};
      if (!graph_.value(v).is_constant() || uses[i] == 0) continue;
      names_[i] = text("@c", i);
      out.append(indent).append("  ").append(constant(v)).append("\n");
    }
    for (NodeId id : graph_.order()) node(out, graph_.node(id), indent + "  ");
    out.append(indent).append("  return ");
    size_t n = 0;
    for (ValueId v : graph_.outputs()) {
      out.append(n == 0 ? "" : ", ").append(names_[index(v)]).append(" ").append(quoted(graph_.output_names()[n]));
      ++n;
    }
    out.append("\n").append(indent).append("}");
  }

 private:
  std::string constant(ValueId v) const {
    const Fact& f = graph_.fact(v);
    std::string out = text(names_[index(v)], ": ", f, " = ");
    if (f.shape.count() > kMaxWritten || is_complex(f.dtype)) return out + text("random(", f.bytes(), ")");
    out.append("{");
    for (int64_t i = 0; i < f.shape.count(); ++i) {
      out.append(i == 0 ? "" : ", ");
      out.append(is_float(f.dtype) ? real(f.value->number(i)) : std::to_string(f.value->integer(i)));
    }
    return out + "}";
  }

  void node(std::string& out, const Node& n, const std::string& indent) {
    for (ValueId v : n.outputs) names_[index(v)] = text("%", static_cast<int>(v));
    out.append(indent).append(ports(n.op.row().outputs, n.output_counts, n.outputs)).append(" = ").append(n.op.name());
    out.append("(").append(ports(n.op.row().inputs, n.input_counts, n.inputs)).append(")").append(attributes(n.op));
    for (const std::shared_ptr<Graph>& region : n.regions) {
      out.append(" ");
      Printer(*region).print(out, indent);
    }
    out.append("\n");
  }

  std::string ports(std::span<const Port> all, const PortCounts& counts, const std::vector<ValueId>& values) const {
    std::vector<std::string> parts;
    size_t flat = 0;
    for (size_t p = 0; p < counts.size(); ++p) {
      std::vector<std::string> here;
      for (int i = 0; i < counts[p]; ++i) here.push_back(names_[index(values[flat++])]);
      const auto same = [](const std::string& s) { return s; };
      if (all[p].kind == Port::Kind::kList) {
        parts.push_back("[" + joined(here, same) + "]");
      } else {
        parts.push_back(here.empty() ? "_" : here.front());
      }
    }
    while (!parts.empty() && parts.back() == "_") parts.pop_back();
    return joined(parts, [](const std::string& s) { return s; });
  }

  const Graph& graph_;
  std::vector<std::string> names_;
};

}  // namespace

std::string print(const Graph& graph) {
  std::string out;
  Printer(graph).print(out, "");
  return out + "\n";
}

}  // namespace coracle
