// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>

#include "base/counted.h"
#include "engines/openvino/network.h"
#include "graph/node_facts.h"

namespace coracle::internal::openvino {
namespace {

Types set_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return kFloat;
    case DType::kInt32: return kInt32;
    case DType::kInt64: return kInt64;
    case DType::kBool: return kBool;
    case DType::kUnknown: return 0xff;
    default: return 0;
  }
}

std::string text_of(Types types) {
  std::string out;
  for (const DType dtype : {DType::kFloat32, DType::kInt32, DType::kInt64, DType::kBool}) {
    if ((set_of(dtype) & types) != 0) out.append(out.empty() ? "" : ", ").append(name_of(dtype));
  }
  return out;
}

/// Sizes, axes and numbers: what decides layers instead of being computed with.
bool decides(const Port& port) { return port.shape_input || !port.attribute.empty(); }

bool without_any(const Fact& fact) { return fact.shape.known() && fact.shape.count() == 0; }

/// What will be known while planning, though it is not while the graph is looked at: what follows from sizes.
class Planned {
 public:
  explicit Planned(const Graph& graph) : graph_(graph) {}

  bool value(ValueId v) {
    const Value& value = graph_.value(v);
    if (value.fact.value != nullptr) return true;
    return value.producer != kNoNode && node(graph_.node(value.producer));
  }
  bool node(const Node& n) {
    const OpSchema& schema = n.op.schema();
    const std::string_view name = schema.name;
    if (name == "shape" || name == "shape64" || name == "numel") return true;
    // Deeper is no arithmetic of sizes, and larger is not computed while planning.
    constexpr size_t kMost = 64;
    if (!schema.pure || !n.regions.empty() || n.inputs.empty() || seen_.size() > kMost) return false;
    for (const ValueId v : n.outputs) {
      const Fact& fact = graph_.fact(v);
      if (fact.shape.known() && fact.shape.count() > static_cast<int64_t>(kMost)) return false;
      if (fact.shape.rank_known() && fact.shape.rank() > 1) return false;
    }
    if (!seen_.insert(&n).second) return true;
    return std::all_of(n.inputs.begin(), n.inputs.end(), [&](ValueId v) { return value(v); });
  }

 private:
  const Graph& graph_;
  std::unordered_set<const Node*> seen_;
};

/// Whether sizes, axes or numbers of a later node follow from results of `node`, which are known while planning. Looks
/// no further than what follows from them is read.
bool decides_later(const Graph& graph, const Node& node) {
  std::unordered_set<ValueId> wanted;
  int64_t left = 0;  // uses of what is wanted that were not met
  const auto want = [&](const std::vector<ValueId>& values) {
    for (const ValueId v : values) {
      if (v != kNoValue && wanted.insert(v).second) left += graph.use_counts()[index(v)];
    }
  };
  want(node.outputs);
  const std::vector<NodeId>& order = graph.order();
  auto at = std::find_if(order.begin(), order.end(), [&](NodeId id) { return &graph.node(id) == &node; });
  while (left > 0 && at != order.end() && ++at != order.end()) {
    const Node& user = graph.node(*at);
    const std::span<const Port> ports = user.op.schema().inputs;
    bool reads = false;
    size_t flat = 0;
    for (size_t p = 0; p < user.input_counts.size(); ++p) {
      for (int i = 0; i < user.input_counts[p]; ++i, ++flat) {
        if (!wanted.contains(user.inputs[flat])) continue;
        if (decides(ports[p])) return true;
        reads = true;
        --left;
      }
    }
    if (reads && Planned(graph).node(user)) want(user.outputs);
  }
  return false;
}

std::string about(const char* what, const char* name, const std::string& more) {
  return text(what, " '", name, "' ", more);
}

std::string type_refusal(const char* what, const char* name, const Fact& fact, Types taken) {
  if (fact.is_array) return about(what, name, "is a tensor array");
  if ((set_of(fact.dtype) & taken) == 0) {
    return about(what, name, text("is ", fact.dtype, ", OpenVINO is given ", text_of(taken)));
  }
  if (without_any(fact)) return about(what, name, "has no elements");
  constexpr int kMostDimensions = 6;
  if (fact.shape.rank_known() && fact.shape.rank() > kMostDimensions) {
    return about(
        what, name,
        text("has ", counted(fact.shape.rank(), "dimension"), ", OpenVINO is given at most ", kMostDimensions));
  }
  return {};
}

}  // namespace

std::string refusal_of(const Question& q, const Converter& converter) {
  const OpSchema& schema = q.node.op.schema();
  for (int port = 0; port < std::min(static_cast<int>(schema.inputs.size()), converter.reads); ++port) {
    const Port& p = schema.inputs[static_cast<size_t>(port)];
    for (int i = 0; i < q.facts.count(port); ++i) {
      const Fact& fact = q.facts.in(port, i);
      if (decides(p)) {
        if (fact.value == nullptr && !Planned(q.graph).value(q.node.input(port, i))) {
          return about("operand", p.name, "is known in a run only, it must be constant");
        }
        continue;
      }
      // Known elements take the type that the layer needs.
      if (fact.value != nullptr && fact.dtype == DType::kInt64) continue;
      if (std::string why = type_refusal("operand", p.name, fact, converter.operands); !why.empty()) return why;
    }
  }
  for (int port = 0; port < static_cast<int>(schema.outputs.size()); ++port) {
    for (int i = 0; i < q.facts.out_count(port); ++i) {
      const char* name = schema.outputs[static_cast<size_t>(port)].name;
      const bool used = q.graph.use_counts()[static_cast<size_t>(q.node.output(port, i))] > 0;
      if (port > 0 && !used) continue;
      if (port >= converter.ports) return about("result", name, "is used, which OpenVINO does not give");
      const Types results = port == 0 ? converter.results : static_cast<Types>(kPlain | kInt64);
      if (std::string why = type_refusal("result", name, q.facts.out(port, i), results); !why.empty()) return why;
    }
  }
  return converter.refusal == nullptr ? "" : converter.refusal(q);
}

std::string refusal_of(const Graph& graph, const Node& node) {
  const OpSchema& schema = node.op.schema();
  const FactsOfNode of_node(graph, node);
  const NodeFacts facts = of_node.facts();
  try {
    const auto has_elements = [](const Fact* fact) { return fact->value != nullptr; };
    const std::span<const Fact* const> results = facts.all_out();
    if (std::all_of(results.begin(), results.end(), has_elements)) return {};
    // What nothing is planned with is computed like anything else, or blocks would be compiled for each value of it.
    if (Planned(graph).node(node) && decides_later(graph, node)) return {};
    if (!node.regions.empty()) return "it holds graphs of its own";
    const Converter* converter = find_converter(schema);
    if (converter == nullptr) return text("there is no converter of ", schema.name, " for OpenVINO");
    std::string why = refusal_of(Question{graph, node, facts}, *converter);
    if (!why.empty()) return why;
    const auto known = [](const Fact* fact) { return fact->known(); };
    if (!std::all_of(facts.all_in().begin(), facts.all_in().end(), known) ||
        !std::all_of(facts.all_out().begin(), facts.all_out().end(), known)) {
      return {};
    }
    return trial_refusal(graph, node, facts, *converter);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kOutOfMemory) throw;
    return e.text();
  }
}

}  // namespace coracle::internal::openvino
