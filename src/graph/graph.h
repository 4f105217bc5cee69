// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/fact.h"
#include "graph/ids.h"
#include "graph/node_order.h"
#include "graph/op.h"
#include "graph/use_lists.h"

namespace coracle::internal {

/// The values at each port of a node: one list per port, empty where absent.
using PortValues = std::vector<std::vector<ValueId>>;

/// One value: written once, by a node, or given from outside (input), or constant.
struct Value {
  Fact fact;                  ///< fact.value is set for constants
  std::string name;           ///< the variable's name in the file where it has one, printable; not unique, may be empty
  NodeId producer = kNoNode;  ///< kNoNode for inputs and constants
  int output = 0;             ///< index among the producer's outputs
  /// The value whose sequence offsets this one has, as far as the operators' rules tell: itself where they are its own,
  /// kNoValue where it has none.
  ValueId lod_origin = kNoValue;
  bool is_constant() const { return producer == kNoNode && fact.value != nullptr; }
};

class Graph;

/// Longer name scopes, as printable text, are taken as none: each node has its own copy.
inline constexpr size_t kMostScope = 1024;

/// Where result 0 of a node has its sequence offsets from: an operand (by its position in the flat list), or one of
/// these.
inline constexpr int kLodByOperator = -1;  ///< as the operator's schema says
inline constexpr int kNoLod = -2;

/// One application of an operator.
struct Node {
  Op op;
  std::string name;              ///< for messages: "conv2d_3"
  std::vector<ValueId> inputs;   ///< flat, ordered by port
  PortCounts input_counts;       ///< values per input port
  std::vector<ValueId> outputs;  ///< flat, ordered by port
  PortCounts output_counts;
  std::vector<std::shared_ptr<Graph>> regions;
  int lod_from = kLodByOperator;
  bool alive = true;
  /// "/encoder/layer_0/": the name scope that the file gives its operator, printable; empty where it gives none. It
  /// says nothing about what the node computes.
  std::string scope;

  /// The value at an input port, or kNoValue.
  ValueId input(int port, int i = 0) const {
    const PortIndex ports(input_counts);
    return i < ports.count(port) ? inputs[static_cast<size_t>(ports.at(port, i))] : kNoValue;
  }
  ValueId output(int port = 0, int i = 0) const {
    const PortIndex ports(output_counts);
    return i < ports.count(port) ? outputs[static_cast<size_t>(ports.at(port, i))] : kNoValue;
  }
};

/// A program: typed values in SSA form and nodes in program order. A region of a node is a graph of its own, closed:
/// it sees its own inputs and constants only (whoever builds it passes what it needs as inputs).
class Graph {
 public:
  /// Adds an input of the program.
  ValueId add_input(std::string_view name, Fact fact);
  /// Adds a constant; `name` is the parameter's name or empty.
  ValueId add_constant(Tensor tensor, std::string_view name = {});
  /// Appends a node, infers its outputs' facts and returns it. `output_counts` may be empty: one value for each
  /// required port, none for optional ones (lists must be given). Throws Error that names the node.
  NodeId add_node(Op op, const PortValues& inputs, PortCounts output_counts = {}, std::string name = {},
                  std::vector<std::shared_ptr<Graph>> regions = {});
  /// Shorthand: the first output of add_node.
  ValueId add(Op op, const PortValues& inputs, std::string name = {});

  /// Marks a value as the next output of the program.
  void add_output(ValueId value, std::string_view name);
  void set_name(ValueId value, std::string_view name);
  /// The type of an input; those of other values follow with infer_all().
  void set_input_fact(ValueId input, Fact fact) { values_[index(input)].fact = std::move(fact); }
  /// See Node::lod_from. For the last node only: what uses its results is not told.
  void set_lod_from(NodeId node, int lod_from);
  /// See Node::scope; "/" is none.
  void set_scope(NodeId node, std::string_view scope);
  /// Infers the facts of all values again from the inputs' facts and constants.
  void infer_all();
  /// Of whoever works on it: see WorkOnGraph.
  const RunContext& context() const { return *worker_.context; }

  const Value& value(ValueId id) const { return values_[index(id)]; }
  const Fact& fact(ValueId id) const { return values_[index(id)].fact; }
  const Node& node(NodeId id) const { return nodes_[index(id)]; }
  size_t value_count() const { return values_.size(); }
  size_t node_count() const { return nodes_.size(); }

  /// Nodes in program order (dead ones left out).
  const std::vector<NodeId>& order() const { return order_.list(); }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  const std::vector<std::string>& output_names() const { return output_names_; }

  /// How often each value is used as an operand or program output, by value. Follows all changes but patches that are
  /// not committed.
  const std::vector<int>& use_counts() const { return uses_.counts(); }

 private:
  friend class Patch;
  friend class WorkOnGraph;
  friend class ScopeOfNewNodes;
  friend struct GraphTestAccess;  // damages graphs for tests of verify
  friend int remove_dead(Graph& graph);
  friend int drop_unread_results(Graph& graph);
  friend void release_unused_constants(Graph& graph);

  /// add_node without a place in the program order; its operands do not count as used yet.
  NodeId make_node(Op op, const PortValues& inputs, PortCounts output_counts, std::string name,
                   std::vector<std::shared_ptr<Graph>> regions);
  ValueId add_value(Value value);
  void count_operands(NodeId id) { uses_.add_operands(id, node(id).inputs); }
  /// Every use of `from` (operands and program outputs) becomes a use of `to`.
  void replace_uses(ValueId from, ValueId to);
  /// Takes a node out. Its outputs must not be used any more. `counted`: its operands count as used.
  void remove_node(NodeId id, bool counted = true);
  void count_all_uses();
  /// The lod_origin of a node's result `output`.
  ValueId origin_of(NodeId node, size_t output) const;

  std::vector<Value> values_;
  std::vector<Node> nodes_;
  NodeOrder order_;
  UseLists uses_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
  std::vector<std::string> output_names_;
  std::string new_scope_;    // of nodes that are added
  bool has_scopes_ = false;  // some node has, or had, a scope
  /// Not that of a graph it is copied from or to.
  struct Worker {
    Worker() = default;
    Worker(const Worker&) noexcept {}
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): nothing is assigned
    Worker& operator=(const Worker&) noexcept { return *this; }
    const RunContext* context = &kNoRun;
  };
  Worker worker_;
};

/// While it lives, nodes added to a graph have a scope. The innermost holds.
class ScopeOfNewNodes {
 public:
  ScopeOfNewNodes(Graph& graph, std::string_view scope);
  ~ScopeOfNewNodes() { graph_.new_scope_.swap(outer_); }
  ScopeOfNewNodes(const ScopeOfNewNodes&) = delete;
  ScopeOfNewNodes& operator=(const ScopeOfNewNodes&) = delete;

 private:
  Graph& graph_;
  std::string outer_;
};

/// While it lives, what is done to a graph goes by a context: nodes that are added are inferred under its deadline, and
/// passes look at it. The innermost holds.
class WorkOnGraph {
 public:
  WorkOnGraph(Graph& graph, const RunContext& context)
      : graph_(graph), outer_(std::exchange(graph.worker_.context, &context)) {}
  WorkOnGraph(Graph& graph, RunContext&& context) = delete;
  ~WorkOnGraph() { graph_.worker_.context = outer_; }
  WorkOnGraph(const WorkOnGraph&) = delete;
  WorkOnGraph& operator=(const WorkOnGraph&) = delete;

 private:
  Graph& graph_;
  const RunContext* const outer_;
};

/// Facts of a node's outputs for facts of its inputs (null where absent), evaluated on the host where all inputs are
/// known and the result is small. Throws Error that names the operator.
std::vector<Fact> infer_node(const RunContext& context, const Node& node, std::span<const Fact* const> inputs);

/// Facts of all values of a graph for given facts of its inputs, by value index.
std::vector<Fact> infer_graph(const RunContext& context, const Graph& graph, std::span<const Fact> inputs);
inline std::vector<Fact> infer_graph(const Graph& graph, std::span<const Fact> inputs) {
  return infer_graph(graph.context(), graph, inputs);
}

/// True if a node has results and none of them has elements: nothing is to compute, whatever its operands are.
bool without_elements(const Node& node, std::span<const Fact> results);

/// Runs a node's reference on row-major inputs. `facts` are the outputs' facts: memory is made for those that are
/// known. Tensor arrays that only `inputs` holds may be changed. Regions run by `run_region`, or by their operators'
/// references if that is null.
std::vector<Tensor> evaluate_node(const RunContext& context, const Node& node, std::vector<Tensor> inputs,
                                  std::span<const Fact> facts, const ReferenceArgs::RunRegion* run_region = nullptr);

/// Runs a whole graph by the operators' references: slow, right, for tests and folding.
std::vector<Tensor> evaluate_graph(const RunContext& context, const Graph& graph, std::span<const Tensor> inputs);
inline std::vector<Tensor> evaluate_graph(const Graph& graph, std::span<const Tensor> inputs) {
  return evaluate_graph(graph.context(), graph, inputs);
}

}  // namespace coracle::internal
