// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "cli/graph/drawing.h"

namespace coracle::cli {
namespace {

/// How many values that a node up to i made are used behind it, for each i.
std::vector<size_t> crossings(const GraphText& graph) {
  const size_t count = graph.nodes.size();
  std::map<std::string, size_t> made;
  std::map<std::string, size_t> last;
  for (size_t i = 0; i < count; ++i) {
    for (const std::string& id : graph.nodes[i].inputs) last[id] = i;
    for (const GraphValue& v : graph.nodes[i].outputs) made[v.id] = i;
  }
  for (const GraphValue& v : graph.outputs) last[v.id] = count;
  std::vector<size_t> starts(count + 1);
  std::vector<size_t> ends(count + 1);
  for (const auto& [id, at] : made) {
    const auto use = last.find(id);
    if (use == last.end() || use->second <= at) continue;
    ++starts[at];
    ++ends[use->second];
  }
  std::vector<size_t> crossing(count);
  size_t open = 0;
  for (size_t i = 0; i < count; ++i) {
    open += starts[i];
    open -= ends[i];
    crossing[i] = open;
  }
  return crossing;
}

}  // namespace

std::vector<Group> groups_of(const GraphText& graph) {
  constexpr size_t kLeast = 6;
  constexpr size_t kMost = 30;
  const std::vector<size_t> crossing = crossings(graph);
  const size_t count = graph.nodes.size();
  std::vector<Group> groups;
  for (size_t begin = 0; begin < count;) {
    size_t limit = begin;
    while (limit < count && graph.nodes[limit].regions.empty()) ++limit;
    size_t end = begin + 1;
    if (limit > begin) {
      end = limit;
      if (limit - begin > kLeast) {
        const auto first = crossing.begin() + static_cast<std::ptrdiff_t>(begin + kLeast - 1);
        const auto past = crossing.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kMost, limit));
        end = static_cast<size_t>(std::min_element(first, past) - crossing.begin()) + 1;
      }
    }
    groups.push_back({begin, end});
    begin = end;
  }
  return groups;
}

std::string group_title(const GraphText& graph, const Group& group) {
  std::string title = std::to_string(group.begin);
  if (group.end - group.begin > 1) title += " to " + std::to_string(group.end - 1);
  std::vector<std::pair<std::string, size_t>> counts;
  for (size_t i = group.begin; i < group.end; ++i) {
    const std::string& op = graph.nodes[i].op;
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == op; });
    if (found == counts.end()) {
      counts.emplace_back(op, 1);
    } else {
      ++found->second;
    }
  }
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr size_t kShown = 4;
  for (size_t i = 0; i < std::min(kShown, counts.size()); ++i) {
    title +=
        (i == 0 ? ": " : ", ") + (counts[i].second > 1 ? std::to_string(counts[i].second) + " " : "") + counts[i].first;
  }
  return title + (counts.size() > kShown ? ", ..." : "");
}

}  // namespace coracle::cli
