// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/graph/drawing.h"
#include "cli/graph/engines.h"
#include "cli/graph/layers.h"

namespace coracle::cli {
namespace {

constexpr double kLetter = 6.7;  // of the monospaced font, 11 units high
constexpr double kLine = 14;
constexpr double kHeader = 22;
constexpr double kMargin = 12;
constexpr double kBetween = 40;  // boxes of a stack

constexpr const char* kStyle =
    "text{font:11px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1b2733}"
    ".frame{fill:#f4f6f9;stroke:#c3ccd8}.head text{fill:#51627a}.node rect{fill:#fff;stroke:#4878a8}"
    ".node .op{font-weight:bold}.small{font-size:9px;fill:#66758a}.value rect{fill:#eef4e8;stroke:#8fb06a}"
    ".edge{fill:none;stroke:#8494a8}.label{font-size:9px;fill:#51627a;paint-order:stroke;stroke:#f4f6f9;"
    "stroke-width:3px}";

std::string shortened(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return text.substr(0, end) + "...";
}

/// A part of the picture at (0, 0).
struct Part {
  std::string svg;
  double width = 0;
  double height = 0;
};

std::string moved(const Part& part, double x, double y) {
  return fmt::format("<g transform=\"translate({:.1f},{:.1f})\">{}</g>", x, y, part.svg);
}

/// What is known of a value where it is used.
struct Origin {
  const GraphValue* value = nullptr;
  std::string maker;  ///< the element that shows the node that makes it; empty: an input of the graph
  bool constant = false;
};

class Painter {
 public:
  explicit Painter(std::vector<std::string> engines) : engines_(std::move(engines)) {}

  /// The colours of engines; empty where there are none.
  std::string style() const {
    std::string out;
    for (size_t i = 0; i < engines_.size(); ++i) {
      out += fmt::format(".node.engine{0} rect,.frame.engine{0}{{fill:{1}}}", i, engine_colour(i));
    }
    return out;
  }
  /// What the colours mean.
  Part legend() const {
    Part p;
    for (size_t i = 0; !engines_.empty() && i <= engines_.size(); ++i) {
      const std::string& name = i < engines_.size() ? engines_[i] : kNatively;
      const double width = static_cast<double>(name.size()) * kLetter + 16;
      p.svg += fmt::format(
                   "<g class=\"node {}\" transform=\"translate({:.1f},0)\"><title>{}</title>"
                   "<rect width=\"{:.1f}\" height=\"20\" rx=\"3\"/>",
                   class_of(name), p.width, xml_escaped(name), width) +
               text_line(width / 2, kLine, "", name) + "</g>";
      p.width += width + kMargin;
      p.height = kHeader + kMargin;
    }
    return p;
  }

  /// The groups of a graph from its inputs to its outputs. `prefix` begins the names of its elements.
  Part stack(const GraphText& graph, const std::string& prefix) {
    Graph g{graph, prefix, {}};
    for (const GraphValue& v : graph.inputs) g.origins[v.id] = {&v, "", false};
    for (const GraphValue& v : graph.constants) g.origins[v.id] = {&v, "", true};
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const GraphValue& v : graph.nodes[i].outputs) g.origins[v.id] = {&v, prefix + std::to_string(i), false};
    }
    std::vector<Part> parts{values(graph.inputs, g, "inputs")};
    for (const Group& group : groups_of(graph)) parts.push_back(framed(g, group));
    parts.push_back(values(graph.outputs, g, "outputs"));
    Part all;
    for (const Part& p : parts) all.width = std::max(all.width, p.width);
    all.svg = "<g class=\"stack\">";
    for (const Part& p : parts) {
      const double x = (all.width - p.width) / 2;
      all.svg +=
          fmt::format("<g class=\"box\" data-x=\"{:.1f}\" data-h=\"{:.1f}\" transform=\"translate({:.1f},{:.1f})\">", x,
                      p.height, x, all.height);
      if (&p != parts.data()) {
        all.svg += fmt::format("<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"M{0:.1f} {1:.1f}V-2\"/>",
                               p.width / 2, -kBetween + 4);
      }
      all.svg += p.svg + "</g>";
      all.height += p.height + kBetween;
    }
    all.height -= kBetween;
    all.svg += "</g>";
    return all;
  }

 private:
  inline static const std::string kNatively = "natively";

  /// "engine0" for the first engine; empty for what is none.
  std::string class_of(const std::string& engine) const {
    const auto at = std::find(engines_.begin(), engines_.end(), engine);
    return at == engines_.end() ? std::string() : fmt::format("engine{}", at - engines_.begin());
  }

  struct Graph {
    const GraphText& text;
    const std::string& prefix;
    std::map<std::string, Origin> origins;
  };

  static std::string text_line(double x, double y, const char* style, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"{}\">{}</text>", x, y, style,
                       xml_escaped(text));
  }

  /// A rounded box with a name and a type; `maker` is where a click leads.
  static Part pill(const std::string& name, const std::string& type, const std::string& maker) {
    const std::string first = shortened(name, 40);
    const std::string second = shortened(type, 40);
    Part p;
    p.width = static_cast<double>(std::max(first.size(), second.size())) * kLetter + 16;
    p.height = 2 * kLine + 4;
    p.svg = fmt::format(
                "<g class=\"value\" data-to=\"{}\"><title>{} {}</title><rect width=\"{:.1f}\" height=\"{:.1f}\" "
                "rx=\"10\"/>",
                maker, xml_escaped(name), xml_escaped(type), p.width, p.height) +
            text_line(p.width / 2, kLine, "", first) + text_line(p.width / 2, 2 * kLine - 1, "small", second) + "</g>";
    return p;
  }

  static Part values(const std::vector<GraphValue>& list, const Graph& g, const char* title) {
    Part all;
    all.svg = fmt::format("<title>{}</title>", title);
    for (const GraphValue& v : list) {
      const auto origin = g.origins.find(v.id);
      const bool known = origin != g.origins.end();
      const Part p = pill(v.name.empty() ? v.id : v.name, known ? origin->second.value->type : "",
                          known ? origin->second.maker : "");
      all.svg += moved(p, all.width, 0);
      all.width += p.width + kMargin;
      all.height = std::max(all.height, p.height);
    }
    if (!list.empty()) all.width -= kMargin;
    return all;
  }

  static std::string described(const Graph& g, const GraphNode& n) {
    std::string text = n.op + (n.name.empty() ? "" : " (" + n.name + ")");
    if (!n.attributes.empty()) text += "\n{" + n.attributes + "}";
    if (!n.cause.empty()) text += "\nnatively: " + n.cause;
    const auto value = [&](const char* what, const std::string& id) {
      const auto origin = g.origins.find(id);
      if (origin == g.origins.end()) return;
      text += std::string("\n") + what + " " + id + " " + origin->second.value->type + " " + origin->second.value->name;
    };
    for (const std::string& id : n.inputs) value("in ", id);
    for (const GraphValue& v : n.outputs) value("out", v.id);
    return text;
  }

  Part node(const Graph& g, size_t index) const {
    const GraphNode& n = g.text.nodes[index];
    std::vector<std::string> lines;
    for (const std::string& id : n.inputs) {
      const auto origin = g.origins.find(id);
      if (origin != g.origins.end() && origin->second.constant && lines.size() < 3)
        lines.push_back(origin->second.value->type);
    }
    Part p;
    p.width = static_cast<double>(n.op.size()) * (kLetter + 0.5) + 20;
    for (const std::string& l : lines)
      p.width = std::max(p.width, static_cast<double>(l.size()) * kLetter * 9 / 11 + 12);
    p.height = kLine + 8 + 11 * static_cast<double>(lines.size());
    p.svg = fmt::format(
                "<g class=\"node{}\" id=\"{}{}\"><title>{}</title><rect width=\"{:.1f}\" height=\"{:.1f}\" "
                "rx=\"3\"/>",
                n.engine.empty() ? "" : " " + class_of(n.engine), g.prefix, index, xml_escaped(described(g, n)),
                p.width, p.height) +
            text_line(p.width / 2, kLine + 1, "op", n.op);
    for (size_t i = 0; i < lines.size(); ++i)
      p.svg += text_line(p.width / 2, kLine + 12 + 11 * static_cast<double>(i), "small", lines[i]);
    p.svg += "</g>";
    return p;
  }

  /// A frame around a group, with its title; or around a node with regions and these.
  Part framed(const Graph& g, const Group& group) {
    const std::string title = shortened(group_title(g.text, group), 80);
    const Part inner = layered(g, group);
    const GraphNode& first = g.text.nodes[group.begin];
    Part regions;
    for (size_t r = 0; r < first.regions.size(); ++r) {
      Part region = stack(first.regions[r], fmt::format("{}{}_{}_", g.prefix, group.begin, r));
      regions.svg += moved(region, regions.width, 0);
      regions.width += region.width + 2 * kMargin;
      regions.height = std::max(regions.height, region.height);
    }
    Part p;
    p.width = std::max({inner.width, regions.width, static_cast<double>(title.size()) * kLetter}) + 2 * kMargin;
    const double body = kHeader + kMargin + inner.height;
    p.height = body + kMargin + (first.regions.empty() ? 0 : regions.height + 2 * kMargin);
    p.svg = fmt::format(
        "<rect class=\"frame{}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"5\"/><g class=\"head\">"
        "<rect width=\"{:.1f}\" height=\"{:.1f}\" fill=\"transparent\"/><text x=\"{:.1f}\" y=\"15\">{}</text></g>",
        first.engine.empty() ? "" : " " + class_of(first.engine), p.width, p.height, p.width, kHeader, kMargin,
        xml_escaped(title));
    p.svg += "<g class=\"body\">" + moved(inner, (p.width - inner.width) / 2, kHeader + kMargin);
    if (!first.regions.empty())
      p.svg +=
          "<g class=\"regions\" " + moved(regions, (p.width - regions.width) / 2 + kMargin, body + kMargin).substr(3);
    p.svg += "</g>";
    return p;
  }

  /// The nodes of a group, and what they take from elsewhere and give as outputs.
  Part layered(const Graph& g, const Group& group) {
    Layers drawing;
    std::vector<Part> parts;
    std::map<std::string, size_t> shown;  // values by the vertex that they leave
    std::vector<std::string> labels;
    std::set<std::string> labelled;
    const auto vertex = [&](Part part, bool late) {
      drawing.vertices.push_back({part.width, part.height, late, 0, 0});
      parts.push_back(std::move(part));
      return parts.size() - 1;
    };
    const auto edge = [&](const std::string& id, size_t to) {
      const auto origin = g.origins.find(id);
      if (origin == g.origins.end() || origin->second.constant) return;
      const GraphValue& v = *origin->second.value;
      auto from = shown.find(id);
      if (from == shown.end()) {
        from =
            shown.emplace(id, vertex(pill(v.name.empty() ? v.id : v.name, v.type, origin->second.maker), true)).first;
        labelled.insert(id);  // the type stands in it
      }
      drawing.edges.push_back({from->second, to, {}});
      labels.push_back(labelled.insert(id).second ? v.type : "");
    };
    for (size_t i = group.begin; i < group.end; ++i) {
      const size_t at = vertex(node(g, i), false);
      for (const std::string& id : g.text.nodes[i].inputs) edge(id, at);
      for (const GraphValue& v : g.text.nodes[i].outputs) shown[v.id] = at;
    }
    drawing.place();
    Part p{"", drawing.width, drawing.height};
    std::string written;
    for (size_t e = 0; e < drawing.edges.size(); ++e) {
      const auto [path, label] = curve(drawing, drawing.edges[e], labels[e]);
      p.svg += path;
      written += label;
    }
    for (size_t v = 0; v < parts.size(); ++v) p.svg += moved(parts[v], drawing.vertices[v].x, drawing.vertices[v].y);
    p.svg += written;
    return p;
  }

  /// An edge as a path, and what is written at its first part.
  static std::pair<std::string, std::string> curve(const Layers& drawing, const Layers::Edge& edge,
                                                   const std::string& label) {
    const Layers::Vertex& from = drawing.vertices[edge.from];
    const Layers::Vertex& to = drawing.vertices[edge.to];
    std::vector<std::pair<double, double>> points{{from.x + from.width / 2, from.y + from.height}};
    points.insert(points.end(), edge.bends.begin(), edge.bends.end());
    points.emplace_back(to.x + to.width / 2, to.y - 2);
    std::string path = fmt::format("M{:.1f} {:.1f}", points[0].first, points[0].second);
    for (size_t i = 1; i < points.size(); ++i) {
      const auto [x0, y0] = points[i - 1];
      const auto [x1, y1] = points[i];
      const double middle = (y0 + y1) / 2;
      path += fmt::format("C{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f}", x0, middle, x1, middle, x1, y1);
    }
    const double x = (points[0].first + points[1].first) / 2;
    const double y = (points[0].second + points[1].second) / 2 + 3;
    return {fmt::format("<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"{}\"/>", path),
            label.empty() ? std::string() : text_line(x, y, "label", shortened(label, 40))};
  }

  std::vector<std::string> engines_;
};

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string graph_svg(const GraphText& graph) {
  Painter painter(engines_of(graph));
  const Part all = painter.stack(graph, "n");
  const Part legend = painter.legend();
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"-12 {4:.0f} {0:.0f} "
      "{1:.0f}\">"
      "<style>{2}</style><defs><marker id=\"arrow\" viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" markerWidth=\"6\" "
      "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" fill=\"#8494a8\"/></marker></defs>"
      "<g id=\"view\">{3}</g></svg>\n",
      std::max(all.width, legend.width) + 24, all.height + legend.height + 24, kStyle + painter.style(),
      all.svg + (legend.svg.empty() ? "" : moved(legend, 0, -legend.height)), -12 - legend.height);
}

}  // namespace coracle::cli
