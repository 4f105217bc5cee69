// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "graph/graph.h"

namespace coracle::internal::test {

/// Gives the numbers that decide about a case: pseudo-random ones, or those of a fuzz target's bytes.
using Choose = std::function<uint64_t()>;

/// One node of an operator with its attributes and operands.
struct HostileNode {
  const OpSchema* schema = nullptr;
  std::shared_ptr<void> attributes;
  std::vector<Tensor> operands;
  std::vector<bool> constant;  ///< by operand: a constant of the graph, or an input
  PortCounts in_counts;
  PortCounts out_counts;
  std::vector<std::shared_ptr<Graph>> regions;
  bool as_file = false;          ///< the operator as a file has it, where it becomes other nodes
  AttributeMap file_attributes;  ///< of an operator that exists in files only, as a file gives them
};

/// The operator as a node of `graph` or, where it exists in files only or `as_file` says so, as the nodes that a file's
/// operator becomes.
/// Gives its results. Throws Error.
std::vector<ValueId> add_hostile_node(Graph& graph, const HostileNode& node, const PortValues& inputs);

/// What a damaged or hostile file could give, all decided by `choose`. `tame`: no numbers that nobody would use.
HostileNode draw_hostile_node(const OpSchema& schema, const Choose& choose, bool tame);

/// Infers and, where the results are small, runs the node, by its reference and by the kernel that is chosen for it,
/// each with a limit on its time. Whatever is thrown that is not an Error comes out. True if the node ran.
bool run_hostile_node(const HostileNode& node);

/// Both.
bool run_hostile_node(const OpSchema& schema, const Choose& choose);

}  // namespace coracle::internal::test
