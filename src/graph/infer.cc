// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#include "base/counted.h"
#include "graph/graph.h"

namespace coracle::internal {
namespace {

/// Values of at most this many elements are computed while inferring (shapes, indices, scalars).
constexpr int64_t kMaxFoldedElements = 64;

bool foldable(const Node& node, std::span<const Fact* const> inputs, std::span<const Fact> outputs) {
  if (!node.op.schema().pure || !node.regions.empty() || node.op.schema().reference == nullptr) return false;
  for (const Fact* f : inputs) {
    if (f->value == nullptr || f->is_array || f->shape.count() > kMaxFoldedElements) return false;
  }
  for (const Fact& f : outputs) {
    if (!f.known() || f.is_array || f.shape.count() > kMaxFoldedElements) return false;
  }
  return true;
}

/// Sequence offsets of the results: as `infer` gave them, where the operator's rule or the node does not say otherwise.
void set_lod(const Node& node, std::span<const Fact* const> inputs, std::span<Fact> facts) {
  const LodRule rule = node.op.lod();
  for (const Fact& f : facts) {
    require(rule != LodRule::kNone || f.lod == nullptr || f.is_array,
            "a result has sequence offsets, and the operator's schema says that it has none");
  }
  if (node.lod_from >= 0) {
    facts[0].lod = inputs[static_cast<size_t>(node.lod_from)]->lod;
  } else if (node.lod_from == kNoLod) {
    facts[0].lod = nullptr;
  } else if (rule == LodRule::kFirst && !inputs.empty() && facts[0].lod == nullptr) {
    facts[0].lod = inputs[0]->lod;
  }
}
/// How often regions may be inferred for one node. The types of a loop are found by repetition, those of a loop inside
/// again in each: nests that ask for more than this are made to.
constexpr int kMaxRegionInferences = 20000;

/// Counts the regions that are inferred for one node, also those within regions.
class RegionBudget {
 public:
  void take() {
    require(++used_ <= kMaxRegionInferences, ErrorCode::kUnsupported,
            "the types of these nested loops were not determined within ", counted(kMaxRegionInferences, "step"));
  }

 private:
  int used_ = 0;
};

/// A result that no memory holds is refused before anything is computed from its size.
void check_size(const Shape& shape) {
  for (int64_t d : shape) require(d >= 0 || d == Shape::kUnknown, "a result would have the shape ", shape);
  if (shape.known()) shape.count();
}

std::string name_of_node(const Node& node) { return text("operator ", node.op.name(), " (", node.name, ")"); }

/// What the standard library says of missing memory names nothing.
[[noreturn]] void fail_for_memory(const Node& node) {
  fail(ErrorCode::kOutOfMemory, "not enough memory to evaluate ", name_of_node(node), ": use smaller inputs");
}

std::string describe_inputs(const Node& node, std::span<const Fact* const> inputs) {
  std::string out;
  const std::span<const Port> ports = node.op.schema().inputs;
  size_t flat = 0;
  for (size_t p = 0; p < ports.size() && p < node.input_counts.size(); ++p) {
    for (int i = 0; i < node.input_counts[p]; ++i, ++flat) {
      out.append(out.empty() ? "" : ", ").append(ports[p].name).append(" ");
      append_text(out, *inputs[flat]);
    }
  }
  return out;
}

}  // namespace

void PortIndex::fail_missing(int port, int i) const {
  fail(ErrorCode::kInvalidModel, "needs value ", i, " of position ", port, ", and the file gives ", count(port),
       " there");
}

std::optional<Ints> InferArgs::ints(int port) const {
  if (!has(port)) return std::nullopt;
  const Fact& fact = in(port);
  if (fact.value == nullptr) return std::nullopt;
  return fact.value->integers(context_);
}

std::optional<double> NodeFacts::number(int port, double missing) const {
  if (!has(port)) return missing;
  const Tensor* elements = value(port);
  if (elements == nullptr) return std::nullopt;
  return elements->count() > 0 ? elements->number(0) : missing;
}

std::optional<double> InferArgs::number(int port) const {
  if (!has(port)) return std::nullopt;
  const Fact& fact = in(port);
  if (fact.value == nullptr) return std::nullopt;
  return fact.value->number(0);
}

namespace {

/// A tensor array has no elements that an operator on tensors could read.
void refuse_arrays(const OpSchema& schema, std::span<const Fact* const> inputs) {
  for (size_t i = schema.arrays; i < inputs.size(); ++i) {
    require(!inputs[i]->is_array, "operand ", i, " is a tensor array, expected a tensor");
  }
}

std::vector<Fact> infer_within(const RunContext& context, RegionBudget& budget, const Graph& graph,
                               std::span<const Fact> inputs);

std::vector<Fact> infer_within(const RunContext& context, RegionBudget& budget, const Node& node,
                               std::span<const Fact* const> inputs) {
  context.check();
  const OpSchema& schema = node.op.schema();
  size_t outputs = 0;
  for (int c : node.output_counts) outputs += static_cast<size_t>(c);
  std::vector<Fact> facts(outputs);
  try {
    const InferArgs::InferRegion region = [&](int r, std::span<const Fact> args) {
      budget.take();
      require(static_cast<size_t>(r) < node.regions.size(), "there is no region ", r);
      const Graph& graph = *node.regions[static_cast<size_t>(r)];
      std::vector<Fact> all = infer_within(context, budget, graph, args);
      std::vector<Fact> results;
      for (ValueId v : graph.outputs()) results.push_back(all[index(v)]);
      return results;
    };
    // What an operator reads behind its last operand is a value of which nothing is known, not foreign memory: files
    // may leave out operands that an operator takes for granted.
    static const Fact kAbsent;
    std::vector<const Fact*> padded(inputs.begin(), inputs.end());
    padded.resize(inputs.size() + schema.inputs.size() + 1, &kAbsent);
    if (!schema.any_type) refuse_arrays(schema, inputs);
    if (!schema.any_type && std::any_of(inputs.begin(), inputs.end(), [](const Fact* f) { return !f->type_known(); })) {
      std::fill(facts.begin(), facts.end(), Fact::unknown());
      return facts;
    }
    InferArgs args(context, padded, node.input_counts, facts, node.output_counts, &region);
    schema.infer(node.op.attributes(), args);
    for (const Fact& f : facts) check_size(f.shape);
    if (!facts.empty()) set_lod(node, inputs, facts);
    if (foldable(node, inputs, facts)) {
      std::vector<Tensor> tensors;
      for (const Fact* f : inputs) tensors.push_back(*f->value);
      std::vector<Tensor> results = evaluate_node(context, node, std::move(tensors), facts);
      for (size_t i = 0; i < facts.size(); ++i) facts[i].value = std::make_shared<const Tensor>(results[i]);
    }
  } catch (Error& e) {
    e.add_context(text("inferring ", name_of_node(node), " with ", describe_inputs(node, inputs)));
    throw;
  }
  return facts;
}

/// Calls infer(node, operands) for the results of each node of a graph; returns the facts of all values.
template <class F>
std::vector<Fact> infer_nodes(const Graph& graph, std::span<const Fact> inputs, const F& infer) {
  std::vector<Fact> facts(graph.value_count());
  for (size_t i = 0; i < facts.size(); ++i) {
    const Value& v = graph.value(ValueId{static_cast<int32_t>(i)});
    if (v.producer == kNoNode) facts[i] = v.fact;
  }
  require(inputs.size() == graph.inputs().size(), "a graph of ", counted(graph.inputs().size(), "input"), " was given ",
          inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) facts[index(graph.inputs()[i])] = inputs[i];
  std::vector<const Fact*> args;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    args.clear();
    for (ValueId v : node.inputs) args.push_back(&facts[index(v)]);
    std::vector<Fact> results = infer(node, args);
    for (size_t i = 0; i < results.size(); ++i) facts[index(node.outputs[i])] = std::move(results[i]);
  }
  return facts;
}

/// A region, on the budget of the node that it belongs to.
std::vector<Fact> infer_within(const RunContext& context, RegionBudget& budget, const Graph& graph,
                               std::span<const Fact> inputs) {
  return infer_nodes(graph, inputs, [&](const Node& node, std::span<const Fact* const> operands) {
    return infer_within(context, budget, node, operands);
  });
}

}  // namespace

std::vector<Fact> infer_node(const RunContext& context, const Node& node, std::span<const Fact* const> inputs) {
  RegionBudget budget;
  return infer_within(context, budget, node, inputs);
}

std::vector<Fact> infer_graph(const RunContext& context, const Graph& graph, std::span<const Fact> inputs) {
  return infer_nodes(graph, inputs, [&](const Node& node, std::span<const Fact* const> operands) {
    return infer_node(context, node, operands);
  });
}

bool without_elements(const Node& node, std::span<const Fact> results) {
  if (results.empty() || !node.regions.empty()) return false;
  return std::all_of(results.begin(), results.end(),
                     [](const Fact& f) { return f.known() && !f.is_array && f.shape.count() == 0; });
}

std::vector<Tensor> evaluate_node(const RunContext& context, const Node& node, std::vector<Tensor> inputs,
                                  std::span<const Fact> facts, const ReferenceArgs::RunRegion* run_region) {
  std::vector<Tensor> outputs;
  outputs.reserve(facts.size());
  try {
    for (const Fact& f : facts) {
      if (f.is_array) {
        outputs.push_back(Tensor::array(f.dtype));
      } else {
        // Until the operator makes it, a result of unknown type or size has no elements that could be written to.
        outputs.push_back(f.known() ? Tensor::make(context, f.dtype, f.shape)
                                    : Tensor::borrow(f.dtype, Shape{0}, nullptr));
      }
      if (f.lod) outputs.back().set_lod(*f.lod);
    }
    if (without_elements(node, facts)) return outputs;
    const ReferenceArgs::RunRegion by_reference = [&](int r, const std::vector<Tensor>& args) {
      return evaluate_graph(context, *node.regions.at(static_cast<size_t>(r)), args);
    };
    ReferenceArgs args(context, inputs, node.input_counts, outputs, node.output_counts,
                       run_region != nullptr ? run_region : &by_reference);
    require(node.op.schema().reference != nullptr, ErrorCode::kUnsupported, "this library has only kernels for ",
            node.op.name(), ", of which none takes these operands: use libcoracle");
    node.op.schema().reference(node.op.attributes(), args);
    for (size_t i = 0; i < outputs.size(); ++i) {
      require(!outputs[i].empty_handle(), ErrorCode::kRunFailure, "no result ", i, ": its size is not known");
      // A result that shares its memory with an operand would bring that one's sequence offsets along.
      const bool by_node = i == 0 && node.lod_from != kLodByOperator;
      if (!by_node && node.op.lod() != LodRule::kNone) continue;
      if (!outputs[i].is_array() && !outputs[i].lod().empty() && facts[i].lod == nullptr) outputs[i].set_lod({});
    }
  } catch (Error& e) {
    e.add_context(text("running ", name_of_node(node)));
    throw;
  } catch (const std::bad_alloc&) {
    fail_for_memory(node);
  } catch (const std::length_error&) {
    fail_for_memory(node);
  }
  return outputs;
}

std::vector<Tensor> evaluate_graph(const RunContext& context, const Graph& graph, std::span<const Tensor> inputs) {
  require(inputs.size() == graph.inputs().size(), "a graph of ", counted(graph.inputs().size(), "input"), " was given ",
          inputs.size());
  std::vector<Tensor> tensors(graph.value_count());
  std::vector<Fact> facts(graph.value_count());
  const auto set = [&](ValueId v, Tensor t) {
    Fact& f = facts[index(v)];
    f = t.is_array() ? Fact(t.dtype(), Shape::unknown_rank()) : Fact::constant(t);
    f.is_array = t.is_array();
    tensors[index(v)] = std::move(t);
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ValueId v{static_cast<int32_t>(i)};
    if (graph.value(v).is_constant()) set(v, *graph.value(v).fact.value);
  }
  for (size_t i = 0; i < inputs.size(); ++i) set(graph.inputs()[i], inputs[i]);
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    std::vector<Tensor> args;
    std::vector<const Fact*> arg_facts;
    for (ValueId v : node.inputs) {
      args.push_back(tensors[index(v)]);
      arg_facts.push_back(&facts[index(v)]);
    }
    // Of a node with regions only what runs decides: the branch that is not taken may not even fit.
    const std::vector<Fact> out = node.regions.empty() ? infer_node(context, node, arg_facts)
                                                       : std::vector<Fact>(node.outputs.size(), Fact::unknown());
    std::vector<Tensor> results = evaluate_node(context, node, std::move(args), out);
    for (size_t i = 0; i < results.size(); ++i) set(node.outputs[i], std::move(results[i]));
  }
  std::vector<Tensor> out;
  for (ValueId v : graph.outputs()) out.push_back(tensors[index(v)]);
  return out;
}

}  // namespace coracle::internal
