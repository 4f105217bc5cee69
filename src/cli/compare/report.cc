// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "cli/compare/compare.h"

namespace coracle::cli {
namespace {

/// Lines of a graph shown of what a rewrite changed.
constexpr size_t kShownLines = 8;

std::string node_text(const SeenValue& v) { return v.node.empty() ? v.op : v.node + "  " + v.op; }

void add_lines(std::string& out, const char* sign, const std::vector<std::string>& lines) {
  for (size_t i = 0; i < std::min(lines.size(), kShownLines); ++i) out += fmt::format("    {} {}\n", sign, lines[i]);
  if (lines.size() > kShownLines) out += fmt::format("    {} ... {} more\n", sign, lines.size() - kShownLines);
}

void add_values(std::string& out, const Origin& o) {
  if (!o.values_shown) return;
  if (o.values.common == 0) {
    out += "operators: no result has the same name on both sides, so they cannot be compared one by one\n";
    return;
  }
  if (!o.values.first) {
    out += fmt::format("operators: all {} results with a name that both compute agree\n", o.values.common);
    return;
  }
  const ValuePair& first = *o.values.first;
  out += fmt::format("first operator that differs: {}  {}\n  {}\n  {}\n", first.a.name, first.type,
                     summary(first.difference), first.difference.mismatch.empty() ? place(first.difference) : "");
  out += fmt::format("  A  {}  {}\n  B  {}  {}\n", node_text(first.a), o.kernel_a, node_text(first.b), o.kernel_b);
  if (!o.values.before.empty()) {
    out += fmt::format("  {} results before it agree, the last is {}\n", o.values.compared - 1, o.values.before);
  }
  if (!o.kernel.empty()) {
    out += fmt::format("  without the kernel {} of {} the outputs agree (--disable-kernels {})\n", o.kernel,
                       o.kernel_side, o.kernel);
  }
}

void add_rewriting(std::string& out, const Origin::Rewriting& r) {
  const RewriteSearch& s = r.search;
  if (s.total == 0) return;
  if (!s.responsible) {
    out += fmt::format("rewriting of {}: not responsible, the outputs differ without it too\n", r.side);
    return;
  }
  out += fmt::format("rewrite responsible: {} of {} in {}, by the pass {}{}\n", s.number, s.total, r.side, s.pass,
                     s.alone ? fmt::format("; without it the outputs agree (--disable-passes {})", s.pass) : "");
  add_lines(out, "-", s.before);
  add_lines(out, "+", s.after);
}

void number(internal::JsonWriter& w, const char* name, double value) {
  w.Key(name);
  if (std::isfinite(value)) {
    w.Double(value);
  } else {
    w.String(std::isnan(value) ? "NaN" : (value < 0 ? "-Infinity" : "Infinity"));
  }
}

void write_difference(internal::JsonWriter& w, const Difference& d) {
  w.field("agrees", d.agrees());
  if (!d.mismatch.empty()) return w.field("mismatch", d.mismatch);
  w.field("elements", d.elements);
  w.field("beyond", d.beyond);
  w.field("unequal", d.unequal);
  w.field("nan_a", d.nan_a);
  w.field("nan_b", d.nan_b);
  number(w, "max_abs", d.max_absolute);
  number(w, "max_rel", d.max_relative);
  number(w, "mean_abs", d.mean_absolute);
  if (d.unequal == 0) return;
  w.list("at", d.at);
  number(w, "value_a", d.a);
  number(w, "value_b", d.b);
}

void write_pair(internal::JsonWriter& w, const ValuePair& p) {
  w.StartObject();
  w.field("name", p.a.name);
  w.field("type", p.type);
  w.field("node_a", p.a.node);
  w.field("op_a", p.a.op);
  w.field("node_b", p.b.node);
  w.field("op_b", p.b.op);
  write_difference(w, p.difference);
  w.EndObject();
}

void write_origin(internal::JsonWriter& w, const Origin& o) {
  w.Key("origin");
  w.StartObject();
  if (o.values_shown) {
    w.field("common_values", o.values.common);
    w.Key("first");
    if (o.values.first) {
      write_pair(w, *o.values.first);
    } else {
      w.Null();
    }
    w.field("before", o.values.before);
    w.field("kernel_a", o.kernel_a);
    w.field("kernel_b", o.kernel_b);
    w.field("kernel_responsible", o.kernel);
  }
  w.objects("rewriting", o.rewriting, [&](const Origin::Rewriting& r) {
    w.field("side", r.side);
    w.field("rewrites", static_cast<size_t>(r.search.total));
    w.field("responsible", r.search.responsible);
    if (r.search.responsible) {
      w.field("number", static_cast<size_t>(r.search.number));
      w.field("pass", r.search.pass);
      w.field("agrees_without_pass", r.search.alone);
      w.list("before", r.search.before);
      w.list("after", r.search.after);
    }
  });
  w.EndObject();
}

}  // namespace

size_t Comparison::differing() const {
  return static_cast<size_t>(
      std::count_if(outputs.begin(), outputs.end(), [](const OutputPair& o) { return !o.difference.agrees(); }));
}

std::string text_of(const Comparison& c) {
  std::string out = fmt::format("A  {}\nB  {}\n", c.a, c.b);
  for (const ValuePair& p : c.operators) {
    out += fmt::format("{}  {}  {}  {}  {}\n", p.difference.agrees() ? " " : "*", p.a.name, p.a.op, p.type,
                       summary(p.difference));
  }
  size_t i = 0;
  for (const OutputPair& o : c.outputs) {
    const std::string types = o.a_type == o.b_type ? o.a_type : o.a_type + " and " + o.b_type;
    out += fmt::format("{}  {}  {}  {}\n", i++, o.name, types, summary(o.difference));
    if (o.difference.unequal != 0) out += fmt::format("   {}\n", place(o.difference));
  }
  for (const std::string& name : c.unpaired) out += fmt::format("-  {}\n", name);
  if (c.origin) {
    add_values(out, *c.origin);
    for (const Origin::Rewriting& r : c.origin->rewriting) add_rewriting(out, r);
  }
  if (c.agrees()) {
    const bool equal =
        std::all_of(c.outputs.begin(), c.outputs.end(), [](const OutputPair& o) { return o.difference.unequal == 0; });
    const std::string sets = c.sets == 1 ? "" : fmt::format(", for {} sets of inputs", c.sets);
    out += equal ? fmt::format("the outputs are equal{}\n", sets)
                 : fmt::format("the outputs agree within rtol {:g} and atol {:g}{}\n", c.tolerance.relative,
                               c.tolerance.absolute, sets);
  }
  return out;
}

std::string json_of(const Comparison& c) {
  internal::JsonBuffer buffer;
  internal::JsonWriter w(buffer);
  w.StartObject();
  w.field("a", c.a);
  w.field("b", c.b);
  number(w, "rtol", c.tolerance.relative);
  number(w, "atol", c.tolerance.absolute);
  w.field("sets", c.sets);
  w.field("agrees", c.agrees());
  w.objects("outputs", c.outputs, [&](const OutputPair& o) {
    w.field("name", o.name);
    w.field("type_a", o.a_type);
    w.field("type_b", o.b_type);
    write_difference(w, o.difference);
  });
  w.list("unpaired", c.unpaired);
  if (!c.operators.empty()) w.list("operators", c.operators, [&](const ValuePair& p) { write_pair(w, p); });
  if (c.origin) write_origin(w, *c.origin);
  w.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace coracle::cli
