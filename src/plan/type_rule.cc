// SPDX-License-Identifier: Apache-2.0
#include "plan/type_rule.h"

#include <algorithm>

#include "plan/kernel.h"

namespace coracle::internal {
namespace {

template <size_t kSize>
const PortTypes* named(const std::array<PortTypes, kSize>& ports, size_t port) {
  const auto it = std::find_if(ports.begin(), ports.end(),
                               [&](const PortTypes& p) { return static_cast<size_t>(p.port) == port && p.port >= 0; });
  return it == ports.end() ? nullptr : &*it;
}

template <size_t kSize>
void append_ports(std::string& to, const char* what, const std::array<PortTypes, kSize>& ports) {
  for (const PortTypes& p : ports) {
    if (p.port < 0) continue;
    to += "; ";
    to += what;
    to += " ";
    to += std::to_string(p.port);
    to += ": ";
    append_text(to, p.types);
  }
}

}  // namespace

bool takes(const TypeRule& rule, const OpSchema& op, const PortCounts& in_counts, const ArgFacts& args) {
  std::optional<DType> first;
  size_t flat = 0;
  for (size_t p = 0; p < in_counts.size(); ++p) {
    const PortTypes* port = named(rule.in, p);
    const bool argument = op.inputs[p].shape_input || !op.inputs[p].attribute.empty();
    for (int i = 0; i < in_counts[p]; ++i, ++flat) {
      const DType type = args.all_in()[flat]->dtype;
      if (port != nullptr) {
        if (!port->types.has(type)) return false;
      } else if (!argument) {
        if (!rule.operands.has(type) || (rule.alike && first.value_or(type) != type)) return false;
        first = type;
      }
    }
  }
  for (size_t p = 0; p < op.outputs.size(); ++p) {
    const PortTypes* port = named(rule.out, p);
    const DTypes types = port != nullptr ? port->types : rule.results;
    for (int i = 0; i < args.out_count(static_cast<int>(p)); ++i) {
      if (!types.has(args.out(static_cast<int>(p), i).dtype)) return false;
    }
  }
  return true;
}

std::string text_of(const TypeRule& rule) {
  std::string text = "only ";
  append_text(text, rule.operands);
  if (rule.alike && rule.operands.count() > 1) text += " (one type)";
  if (rule.results != rule.operands) {
    text += " to ";
    append_text(text, rule.results);
  }
  append_ports(text, "operand", rule.in);
  append_ports(text, "result", rule.out);
  return text;
}

}  // namespace coracle::internal
