// SPDX-License-Identifier: Apache-2.0
#include "base/contractible_dag.h"

#include <algorithm>
#include <numeric>

namespace coracle::internal {

ContractibleDag::ContractibleDag(size_t vertices)
    : parent_(vertices),
      position_(vertices),
      edges_(vertices),
      seen_(vertices, false),
      budget_(vertices * kSearchedForEach) {
  std::iota(parent_.begin(), parent_.end(), Vertex{0});
  std::iota(position_.begin(), position_.end(), uint32_t{0});
}

void ContractibleDag::add_edge(Vertex from, Vertex to) {
  edges_[from].to.push_back(to);
  edges_[to].from.push_back(from);
  budget_ += kSearchedForEach;
}

ContractibleDag::Vertex ContractibleDag::group(Vertex v) {
  while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
  return v;
}

bool ContractibleDag::visit(Vertex group, Vertex start, Vertex other, bool forwards, std::vector<Vertex>& found) {
  std::vector<Vertex>& edges = forwards ? edges_[group].to : edges_[group].from;
  const uint32_t limit = position_[other];
  for (size_t e = 0; e < edges.size();) {
    if (++searched_ > allowed_) return false;
    const Vertex next = this->group(edges[e]);
    if (next == group) {  // an edge within the group, which nobody needs to see again
      edges[e] = edges.back();
      edges.pop_back();
      continue;
    }
    edges[e++] = next;
    if (next == other && group != start) return false;
    const bool between = forwards ? position_[next] < limit : position_[next] > limit;
    if (!between || seen_[next]) continue;
    seen_[next] = true;
    found.push_back(next);
  }
  return true;
}

bool ContractibleDag::search(Vertex start, Vertex other, bool forwards, std::vector<Vertex>& found) {
  if (!visit(start, start, other, forwards, found)) return false;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!visit(found[i], start, other, forwards, found)) return false;
  }
  return true;
}

bool ContractibleDag::join(Vertex a, Vertex b) {
  Vertex low = group(a);
  Vertex high = group(b);
  if (low == high) return true;
  if (position_[low] > position_[high]) std::swap(low, high);
  std::vector<Vertex> after;   // what `low` leads to
  std::vector<Vertex> before;  // what leads to `high`
  searched_ = 0;
  allowed_ = std::clamp(budget_, kLeastSearched, kMostSearched);
  const bool may = search(low, high, true, after) && search(high, low, false, before);
  for (Vertex v : after) seen_[v] = false;
  for (Vertex v : before) seen_[v] = false;
  budget_ -= std::min(budget_, searched_);
  if (!may) return false;

  const uint32_t low_position = position_[low];
  const uint32_t high_position = position_[high];
  const auto size = [&](Vertex v) { return edges_[v].from.size() + edges_[v].to.size(); };
  const Vertex kept = size(low) < size(high) ? high : low;
  const Vertex gone = kept == low ? high : low;
  parent_[gone] = kept;
  const auto append = [](std::vector<Vertex>& to, std::vector<Vertex>& from) {
    to.insert(to.end(), from.begin(), from.end());
    std::vector<Vertex>().swap(from);
  };
  append(edges_[kept].from, edges_[gone].from);
  append(edges_[kept].to, edges_[gone].to);
  reorder(before, kept, after, low_position, high_position);
  return true;
}

/// What leads to the joined group takes the first of all positions concerned, what it leads to the last ones.
void ContractibleDag::reorder(std::span<const Vertex> before, Vertex merged, std::span<const Vertex> after,
                              uint32_t low, uint32_t high) {
  const auto in_order = [&](std::span<const Vertex> vertices) {
    std::vector<Vertex> sorted(vertices.begin(), vertices.end());
    std::sort(sorted.begin(), sorted.end(), [&](Vertex a, Vertex b) { return position_[a] < position_[b]; });
    return sorted;
  };
  const std::vector<Vertex> first = in_order(before);
  const std::vector<Vertex> last = in_order(after);
  std::vector<uint32_t> positions{low, high};
  for (Vertex v : first) positions.push_back(position_[v]);
  for (Vertex v : last) positions.push_back(position_[v]);
  std::sort(positions.begin(), positions.end());
  for (size_t i = 0; i < first.size(); ++i) position_[first[i]] = positions[i];
  position_[merged] = positions[first.size()];
  for (size_t i = 0; i < last.size(); ++i) position_[last[i]] = positions[positions.size() - last.size() + i];
}

}  // namespace coracle::internal
