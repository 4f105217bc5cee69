// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// The only way a rewrite changes a graph: it adds nodes in front of one node and replaces values; what nothing uses
/// then goes with `remove_dead`. Nothing happens before commit(); without it the added nodes vanish.
///
/// What stands for a value must say the same of it: type, shape and whose sequence offsets it has. Where the added
/// nodes' operators would give others, the nodes are told (Node::lod_from); where that cannot be, the patch is not
/// `allowed` and the place stays as it is.
///
/// The added nodes have the scope of what they mainly are (Node::scope): of the nodes that go because of the patch, the
/// first whose work is sums of products (a convolution, a matrix product), or else the first. Where none goes, it is
/// that of the node in front of which they stand. So what is fused into a convolution stands where the convolution
/// stood, on whichever side of a scope's border its own place was.
class Patch {
 public:
  /// New nodes go in front of `at`.
  Patch(Graph& graph, NodeId at) : graph_(graph), at_(at) {}
  ~Patch();
  Patch(const Patch&) = delete;
  Patch& operator=(const Patch&) = delete;

  const Graph& graph() const { return graph_; }
  ValueId constant(Tensor tensor, std::string_view name = {}) { return graph_.add_constant(std::move(tensor), name); }
  /// Adds a node; returns its result 0. Named after the node in front of which it stands.
  ValueId add(Op op, const PortValues& inputs);
  /// Adds a node with several results.
  NodeId add_node(Op op, const PortValues& inputs, PortCounts output_counts);
  /// Every use of `old` becomes a use of `by`. Throws Error if the type differs.
  void replace(ValueId old, ValueId by);

  /// False if a replacement would change sequence offsets: then commit() must not be called.
  bool allowed() const { return allowed_; }
  /// Applies the replacements.
  void commit();

 private:
  friend class Replacements;
  bool has_lod_of(ValueId by, ValueId old);
  std::vector<NodeId> going() const;
  std::string scope_of_added() const;
  /// Every use of a value becomes one of what `by` has for it, and the `removed` nodes go.
  static void replace_all(Graph& graph, const std::vector<ValueId>& by, const std::vector<bool>& removed);

  Graph& graph_;
  NodeId at_;
  std::vector<NodeId> added_;
  std::vector<std::pair<ValueId, ValueId>> replacements_;
  bool allowed_ = true;
};

/// Nodes whose results other values stand for, all over a graph: what many patches would do one by one, in time in
/// proportion to the graph. Until commit() the graph is as before but for names.
class Replacements {
 public:
  explicit Replacements(Graph& graph);

  /// What stands for a value by now: itself where nothing does.
  ValueId current(ValueId value);
  /// `by` stands for the node's first results, others are not used; the node goes. False, and all stays as it is, if
  /// sequence offsets would change. Throws Error if a type differs.
  bool replace(NodeId node, std::span<const ValueId> by);
  void commit();

 private:
  Graph& graph_;
  std::vector<ValueId> by_;  // by value; shorter than the graph's list where constants were added
  std::vector<bool> removed_;
};

/// A node's operands by port, as Patch::add takes them.
PortValues operands_of(const Node& node);

/// Removes pure nodes none of whose results is used; returns how many.
int remove_dead(Graph& graph);

/// Optional results that nobody reads (a batch_norm's running statistics, XShape) need not be computed: they are taken
/// off the node where none behind them at the same node is read. Returns how many.
int drop_unread_results(Graph& graph);

/// Constants that nothing uses any more, as weights that rewrites replaced, give their elements back.
void release_unused_constants(Graph& graph);

/// Checks that a graph is well formed: every operand is defined before its use, ports are as the operators say, results
/// know their producer. With `infer`, also that inferring all facts again gives the same types.
/// Throws Error that names the node.
void verify(const Graph& graph, bool infer);

}  // namespace coracle::internal
