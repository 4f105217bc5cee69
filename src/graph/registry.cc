// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/op.h"

namespace coracle::internal {
namespace {

using Entry = std::pair<std::string_view, const OpSchema*>;

const OpSchema* find(const std::vector<Entry>& sorted, std::string_view name) {
  const auto it = std::lower_bound(sorted.begin(), sorted.end(), name,
                                   [](const Entry& e, std::string_view n) { return e.first < n; });
  return it != sorted.end() && it->first == name ? it->second : nullptr;
}

std::vector<Entry> sorted(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  return entries;
}

}  // namespace

const OpSchema* find_op(std::string_view name) {
  static const std::vector<Entry> kByName = [] {
    std::vector<Entry> entries;
    for (const OpSchema* schema : all_ops()) entries.emplace_back(schema->name, schema);
    return sorted(std::move(entries));
  }();
  return find(kByName, name);
}

const OpSchema* find_legacy_op(std::string_view type) {
  static const std::vector<Entry> kByType = [] {
    std::vector<Entry> entries;
    for (const OpSchema* schema : all_ops()) {
      for (const char* legacy : schema->legacy) entries.emplace_back(legacy, schema);
    }
    return sorted(std::move(entries));
  }();
  return find(kByType, type);
}

}  // namespace coracle::internal
