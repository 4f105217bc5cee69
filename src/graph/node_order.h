// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/ids.h"

namespace coracle::internal {

/// The program order of a graph's nodes: a linked list, so that rewrites put nodes in and take them out in constant
/// time, and the same as a vector for everybody else, made again when asked for after such changes. Threads may share
/// it once the vector has been asked for.
class NodeOrder {
 public:
  void append(NodeId id);
  void insert(NodeId id, NodeId before);
  void remove(NodeId id);

  const std::vector<NodeId>& list() const;

 private:
  struct Link {
    NodeId previous = kNoNode;
    NodeId next = kNoNode;
  };
  Link& link(NodeId id) { return links_[index(id)]; }
  void make_link(NodeId id, Link link);

  std::vector<Link> links_;  // by node
  NodeId first_ = kNoNode;
  NodeId last_ = kNoNode;
  mutable std::vector<NodeId> list_;
  mutable bool list_is_current_ = true;
};

}  // namespace coracle::internal
