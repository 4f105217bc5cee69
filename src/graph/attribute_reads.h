// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "graph/attributes.h"

namespace coracle::internal {

/// Notes, as long as it lives, which attributes of one map are asked for. The importer holds one while it translates an
/// operator: what the operator's code has never asked for cannot have been taken into account.
class AttributeReads {
 public:
  explicit AttributeReads(const AttributeMap& map) : map_(map), outer_(std::exchange(map.listener_.reads, this)) {}
  ~AttributeReads() { map_.listener_.reads = outer_; }
  AttributeReads(const AttributeReads&) = delete;
  AttributeReads& operator=(const AttributeReads&) = delete;

  /// The attributes that nothing has asked for, in the order of their names.
  std::vector<std::pair<std::string_view, const AttributeValue*>> unread() const;

 private:
  friend class AttributeMap;

  /// The map has found that.
  void note(const AttributeValue& value) {
    for (AttributeReads* reads = this; reads != nullptr; reads = reads->outer_) reads->found_.push_back(&value);
  }

  const AttributeMap& map_;
  AttributeReads* const outer_;  // of the same map
  std::vector<const AttributeValue*> found_;
};

}  // namespace coracle::internal
