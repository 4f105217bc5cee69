// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace coracle::internal {

/// A directed graph without cycles whose vertices are joined to groups as long as there is none between groups either.
/// It keeps the groups in a topological order and searches only between the two that are to be joined, as Pearce and
/// Kelly do for edges ("A dynamic topological sort algorithm for directed acyclic graphs", 2007).
class ContractibleDag {
 public:
  using Vertex = uint32_t;

  /// The numbers of vertices are a topological order.
  explicit ContractibleDag(size_t vertices);
  /// `from` < `to`. Before the first join.
  void add_edge(Vertex from, Vertex to);

  /// Joins the groups of two vertices unless a path between them leads through a third group, or a search for one
  /// looks at too many edges: all searches together take time in proportion to the graph. True if they are one group
  /// now.
  bool join(Vertex a, Vertex b);
  /// The vertex that stands for the group.
  Vertex group(Vertex v);
  /// Where a group is in the topological order of all; positions may be left out.
  uint32_t position(Vertex v) { return position_[group(v)]; }

  static constexpr size_t kMostSearched = 20'000;  ///< edges that one search may look at ...
  static constexpr size_t kSearchedForEach = 256;  ///< ... until all of them have seen so many for each edge,
  static constexpr size_t kLeastSearched = 64;     ///< and from then on

 private:
  struct Edges {
    std::vector<Vertex> from;  // who leads to the group; of any of its vertices, and vertices of groups
    std::vector<Vertex> to;
  };
  /// The groups that lead to `start`, or that it leads to, in the open range of positions and not to `other` at once.
  /// False if `other` is among those that they lead to, or there are too many.
  bool search(Vertex start, Vertex other, bool forwards, std::vector<Vertex>& found);
  bool visit(Vertex group, Vertex start, Vertex other, bool forwards, std::vector<Vertex>& found);
  void reorder(std::span<const Vertex> before, Vertex merged, std::span<const Vertex> after, uint32_t low,
               uint32_t high);

  std::vector<Vertex> parent_;      // by vertex: one nearer to its group
  std::vector<uint32_t> position_;  // by group
  std::vector<Edges> edges_;        // by group
  std::vector<bool> seen_;          // by group, during a search
  size_t searched_ = 0;             // by this search
  size_t allowed_ = 0;              // in it
  size_t budget_;                   // for searches to come
};

}  // namespace coracle::internal
