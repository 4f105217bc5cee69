// SPDX-License-Identifier: Apache-2.0
#include "passes/pass.h"

#include <algorithm>

namespace coracle {
namespace {

/// Rounds over a graph after which a pass that still finds something is stopped: a rewrite that undoes another.
constexpr int kMaxRounds = 100;

/// Nodes looked at by one pass, all its rounds together; a graph is gone through once in any case.
constexpr int64_t kMostVisits = 20'000'000;

int run_rewrites(const Pass& pass, Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<int>& uses = graph.use_counts();
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    if (!graph.node(id).alive) continue;
    graph.context().check();
    for (const Rewrite& rewrite : pass.rewrites) {
      Match match(graph, uses);
      if (!match.match(rewrite.pattern, rewrite.root, id)) continue;
      Patch patch(graph, id);
      if (!rewrite.apply(match, patch) || !patch.allowed()) continue;
      if (!budget.take()) return count;
      patch.commit();
      ++count;
      break;
    }
  }
  if (count > 0) remove_dead(graph);
  return count;
}

int run_once(const Pass& pass, Graph& graph, RewriteBudget& budget) {
  graph.context().check();
  int count = pass.function ? pass.function(graph, budget) : run_rewrites(pass, graph, budget);
  for (NodeId id : graph.order()) {
    for (const std::shared_ptr<Graph>& region : graph.node(id).regions) {
      const WorkOnGraph work(*region, graph.context());
      count += run_once(pass, *region, budget);
    }
  }
  return count;
}

}  // namespace

int run_pass(const Pass& pass, Graph& graph, RewriteBudget& budget) {
  int total = 0;
  int64_t visits = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const int count = run_once(pass, graph, budget);
    total += count;
    visits += static_cast<int64_t>(graph.order().size());
    if (count == 0 || visits > kMostVisits) break;
  }
  return total;
}

std::vector<PassCount> run_passes(Graph& graph, const PassOptions& options) {
  std::vector<PassCount> counts;
  const auto disabled = [&](const Pass& pass) {
    if (pass.makes == PassMakes::kIntegers && !options.integers) return true;
    if (pass.makes == PassMakes::kStoredWeights && !options.stored_weights) return true;
    return std::any_of(options.disabled.begin(), options.disabled.end(),
                       [&](const std::string& d) { return d == pass.name || d == "all"; });
  };
  const auto tell = [&](const char* pass, int count) {
    if (options.after_pass != nullptr) options.after_pass(pass, count, graph);
  };
  RewriteBudget budget(options.max_rewrites);
  tell("loaded", 0);
  for (const Pass& pass : pipeline()) {
    if (disabled(pass)) continue;
    try {
      const int count = run_pass(pass, graph, budget);
      if (count != 0) {
        verify(graph, options.verify_types);
        counts.push_back({pass.name, count});
      }
      tell(pass.name, count);
    } catch (Error& e) {
      e.add_context(text("rewriting the graph by ", pass.name));
      throw;
    }
  }
  release_unused_constants(graph);
  return counts;
}

}  // namespace coracle
