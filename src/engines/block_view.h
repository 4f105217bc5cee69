// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "coracle/engine.h"
#include "graph/graph.h"

/// What plug-ins see of a graph: the types that engine.h declares.

/// One node with its attributes as plain data.
struct coracle_block_node {
  const coracle::internal::Node* node = nullptr;
  std::vector<coracle_attribute> attributes;
};

/// Nodes of a graph with what is known of its values. Plug-ins get it as const; it lives for one call.
struct coracle_block {
  /// All of a graph; `facts` by value.
  coracle_block(const coracle::internal::Graph& graph, std::span<const coracle::internal::Fact> facts);
  /// One node, with the facts that the graph has; neither inputs nor outputs.
  coracle_block(const coracle::internal::Graph& graph, const coracle::internal::Node& node);
  coracle_block(const coracle_block&) = delete;
  coracle_block& operator=(const coracle_block&) = delete;

  const coracle::internal::Graph& graph;
  std::deque<coracle_block_node> nodes;

  /// What is known of a value; null for a number that none has.
  const coracle::internal::Fact* fact(int32_t value) const;
  const std::vector<coracle::internal::ValueId>& inputs() const { return single_ ? none_ : graph.inputs(); }
  const std::vector<coracle::internal::ValueId>& outputs() const { return single_ ? none_ : graph.outputs(); }

 private:
  friend class AttributeTable;
  void add(const coracle::internal::Node& node);

  bool single_ = false;
  std::vector<coracle::internal::ValueId> none_;
  std::span<const coracle::internal::Fact> facts_;  ///< empty: the graph's
  // What attributes point to. Elements of a deque stay where they are.
  std::deque<std::string> texts_;
  std::deque<coracle::internal::Ints> integers_;
  std::deque<coracle::internal::Floats> numbers_;
  std::deque<std::vector<const char*>> text_lists_;
};

namespace coracle::internal {

/// The functions that plug-ins are given.
const coracle_engine_host& engine_host();

}  // namespace coracle::internal
