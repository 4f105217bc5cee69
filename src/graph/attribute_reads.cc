// SPDX-License-Identifier: Apache-2.0
#include "graph/attribute_reads.h"

#include <algorithm>

namespace coracle::internal {

std::vector<std::pair<std::string_view, const AttributeValue*>> AttributeReads::unread() const {
  std::vector<std::pair<std::string_view, const AttributeValue*>> rest;
  for (const auto& [name, value] : map_.all()) {
    if (std::find(found_.begin(), found_.end(), &value) == found_.end()) rest.emplace_back(name, &value);
  }
  return rest;
}

}  // namespace coracle::internal
