// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/buffer.h"
#include "base/long_loop.h"
#include "ops/index/distinct.h"

namespace coracle::internal {

/// Nodes of a graph get numbers: those of x 0, 1, ..., then those of `neighbors` by first appearance. Result: the
/// numbers of `neighbors`, the sources of edges; the numbers of their targets, of which node i of x has the next
/// count[i]; the node of each number. `count` may go through x several times, once for each kind of edge. The tables
/// serve GPUs.
struct ReindexGraph {
  static constexpr const char* kName = "reindex_graph";
  static constexpr const char* kLegacy[] = {"graph_reindex"};
  static constexpr Port kInputs[] = {in("x", "X"), in("neighbors", "Neighbors"), in("count", "Count"),
                                     optional_in("hashtable_value", "HashTable_Value"),
                                     optional_in("hashtable_index", "HashTable_Index")};
  static constexpr Port kOutputs[] = {out("reindex_src", "Reindex_Src"), out("reindex_dst", "Reindex_Dst"),
                                      out("out_nodes", "Out_Nodes")};
  friend bool operator==(const ReindexGraph&, const ReindexGraph&) = default;
};

inline void infer(const ReindexGraph&, InferArgs& a) {
  for (int port : {0, 1, 2}) require(is_integer(a.dtype(port)), "nodes are ", a.dtype(port), ", expected integers");
  require(a.dtype(0) == a.dtype(1), "nodes are ", a.dtype(0), ", their neighbors ", a.dtype(1));
  const Shape edges{a.shape(1).known() ? a.shape(1).count() : Shape::kUnknown};
  a.set(0, a.dtype(0), edges);
  a.set(1, a.dtype(0), edges);
  a.set(2, a.dtype(0), Shape{Shape::kUnknown});
}

inline void reference(const ReindexGraph&, ReferenceArgs& a) {
  Buffer<int64_t> nodes = a.integers(0);
  const Buffer<int64_t> neighbors = a.integers(1);
  const auto given = nodes.size();
  nodes.insert(nodes.end(), neighbors.begin(), neighbors.end());
  Distinct found = distinct_slices(a.context(), Tensor::ints(a.context(), nodes), {}, Distinct::Order::kAppearance);
  const std::span<const int64_t> numbers(found.inverse);
  for (size_t i = 0; i < given; ++i) {
    require(numbers[i] == static_cast<int64_t>(i), ErrorCode::kInvalidArgument, "x has node ", nodes[i],
            " twice, expected each once");
  }
  const DType dtype = a.in(0).dtype();
  a.out(0) = index_row(a.context(), numbers.subspan(given), dtype);

  const Buffer<int64_t> counts = a.integers(2);
  require(given == 0 ? counts.empty() : counts.size() % given == 0, ErrorCode::kInvalidArgument, "count has ",
          counts.size(), " elements, expected one or several for each of the ", given, " nodes of x");
  Buffer<int64_t> targets(a.context());
  int64_t node = 0;
  LoopCheck check(a.context());
  for (int64_t count : counts) {
    require(count >= 0 && static_cast<uint64_t>(count) <= neighbors.size() - targets.size(),
            ErrorCode::kInvalidArgument, "node ", node, " of x has ", count, " neighbors, expected 0 to ",
            neighbors.size() - targets.size());
    check.step();
    targets.insert(targets.end(), static_cast<size_t>(count), node);
    node = node + 1 == static_cast<int64_t>(given) ? 0 : node + 1;
  }
  require(targets.size() == neighbors.size(), ErrorCode::kInvalidArgument, "count adds up to ", targets.size(),
          ", expected the ", neighbors.size(), " neighbors");
  a.out(1) = index_row(a.context(), targets, dtype);

  for (int64_t& first : found.first) first = nodes[static_cast<size_t>(first)];
  a.out(2) = index_row(a.context(), found.first, dtype);
}

inline constexpr const OpSchema* reindex_graph_op = &kOpSchema<ReindexGraph>;

}  // namespace coracle::internal
