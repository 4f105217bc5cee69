// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace coracle::internal {
namespace {

/// A pure operator none of whose results is used is left out. All of a graph at once is one rewrite.
int sweep(Graph& graph, RewriteBudget& budget) {
  if (budget.empty()) return 0;
  const int count = remove_dead(graph) + drop_unread_results(graph);
  if (count > 0) budget.take();
  return count;
}

}  // namespace

Pass dead_code() { return {.name = "dead_code", .function = sweep}; }

}  // namespace coracle::internal
