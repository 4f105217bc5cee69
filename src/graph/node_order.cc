// SPDX-License-Identifier: Apache-2.0
#include "graph/node_order.h"

namespace coracle::internal {

void NodeOrder::make_link(NodeId id, Link link) {
  if (links_.size() <= index(id)) links_.resize(index(id) + 1);
  links_[index(id)] = link;
  (link.previous == kNoNode ? first_ : this->link(link.previous).next) = id;
  (link.next == kNoNode ? last_ : this->link(link.next).previous) = id;
}

void NodeOrder::append(NodeId id) {
  make_link(id, {.previous = last_, .next = kNoNode});
  if (list_is_current_) list_.push_back(id);
}

void NodeOrder::insert(NodeId id, NodeId before) {
  make_link(id, {.previous = link(before).previous, .next = before});
  list_is_current_ = false;
}

void NodeOrder::remove(NodeId id) {
  const Link at = link(id);
  (at.previous == kNoNode ? first_ : link(at.previous).next) = at.next;
  (at.next == kNoNode ? last_ : link(at.next).previous) = at.previous;
  list_is_current_ = false;
}

const std::vector<NodeId>& NodeOrder::list() const {
  if (!list_is_current_) {
    list_.clear();
    for (NodeId id = first_; id != kNoNode; id = links_[index(id)].next) list_.push_back(id);
    list_is_current_ = true;
  }
  return list_;
}

}  // namespace coracle::internal
