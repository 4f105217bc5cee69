// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "graph/ids.h"

namespace coracle::internal {

/// Which nodes use each value of a graph, and how often it is used as an operand or as an output of the program.
class UseLists {
 public:
  void add_value() {
    counts_.push_back(0);
    users_.emplace_back();
  }
  void add_operands(NodeId user, std::span<const ValueId> operands) {
    for (ValueId v : operands) {
      ++counts_[index(v)];
      users_[index(v)].push_back(user);
    }
  }
  /// The users stay in the lists, so that this takes constant time: see take_users.
  void remove_operands(std::span<const ValueId> operands) {
    for (ValueId v : operands) --counts_[index(v)];
  }
  void add_output(ValueId v) { ++counts_[index(v)]; }
  void remove_output(ValueId v) { --counts_[index(v)]; }
  /// As in a graph of so many values without nodes.
  void clear(size_t values) {
    counts_.assign(values, 0);
    users_.assign(values, {});
  }

  /// By value.
  const std::vector<int>& counts() const { return counts_; }
  /// The nodes that use a value, some of them more than once, and some that did once. Its list is empty then.
  std::vector<NodeId> take_users(ValueId v) { return std::exchange(users_[index(v)], {}); }

 private:
  std::vector<int> counts_;
  std::vector<std::vector<NodeId>> users_;
};

}  // namespace coracle::internal
