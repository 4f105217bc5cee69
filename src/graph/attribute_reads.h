// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "graph/attributes.h"

namespace coracle {

/// Notes, as long as it lives, which attributes of one map are asked for on this thread. The importer holds one while
/// it translates an operator: what the operator's code has never asked for cannot have been taken into account.
class AttributeReads {
 public:
  explicit AttributeReads(const AttributeMap& map) : map_(map), outer_(current_) { current_ = this; }
  ~AttributeReads() { current_ = outer_; }
  AttributeReads(const AttributeReads&) = delete;
  AttributeReads& operator=(const AttributeReads&) = delete;

  /// The attributes that nothing has asked for, in the order of their names.
  std::vector<std::pair<std::string_view, const AttributeValue*>> unread() const;

  /// AttributeMap tells what it has found.
  static void note(const AttributeMap& map, const AttributeValue& value) {
    for (AttributeReads* reads = current_; reads != nullptr; reads = reads->outer_) {
      if (&reads->map_ == &map) reads->found_.push_back(&value);
    }
  }

 private:
  static constinit thread_local AttributeReads* current_;

  const AttributeMap& map_;
  AttributeReads* outer_;
  std::vector<const AttributeValue*> found_;
};

}  // namespace coracle
