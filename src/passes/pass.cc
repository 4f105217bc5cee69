// SPDX-License-Identifier: Apache-2.0
#include "passes/pass.h"

#include <algorithm>

namespace coracle::internal {
namespace {

/// Rounds over a graph after which a pass that still finds something is stopped: a rewrite that undoes another.
constexpr int kMaxRounds = 100;

/// Nodes looked at by one pass, all its rounds together; a graph is gone through once in any case.
constexpr int64_t kMostVisits = 20'000'000;

int run_once(const Pass& pass, Graph& graph, RewriteBudget& budget) {
  graph.context().check();
  int count = pass.function ? pass.function(graph, budget) : 0;
  if (!pass.rewrites.empty()) count += run_rewrites(pass.rewrites, pass.from, graph, budget);
  for (NodeId id : graph.order()) {
    for (const std::shared_ptr<Graph>& region : graph.node(id).regions) {
      const WorkOnGraph work(*region, graph.context());
      count += run_once(pass, *region, budget);
    }
  }
  return count;
}

}  // namespace

int run_rewrites(const std::vector<Rewrite>& rewrites, WalkFrom from, Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<int>& uses = graph.use_counts();
  std::vector<NodeId> order = graph.order();
  if (from == WalkFrom::kEnd) std::reverse(order.begin(), order.end());
  // The first rewrite that fits; false where there is none.
  const auto rewrite_at = [&](NodeId id) {
    for (const Rewrite& rewrite : rewrites) {
      Match match(graph, uses);
      if (!match.match(rewrite.pattern, rewrite.root, id)) continue;
      Patch patch(graph, id);
      if (!rewrite.apply(match, patch) || !patch.allowed()) continue;
      patch.commit();
      return budget.take();
    }
    return false;
  };
  for (NodeId id : order) {
    if (budget.empty()) break;
    graph.context().check();
    // What rewrites have left unread goes at the end.
    const ValueId result = graph.node(id).output(0);
    if (result != kNoValue && uses[index(result)] > 0 && rewrite_at(id)) ++count;
  }
  if (count > 0) remove_dead(graph);
  return count;
}

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

std::vector<std::string> why_left(const Graph& graph) {
  std::vector<std::string> all(graph.node_count());
  for (const Pass& pass : pipeline()) {
    if (pass.why_left == nullptr) continue;
    std::vector<std::string> said = pass.why_left(graph);
    for (size_t i = 0; i < said.size(); ++i) {
      if (all[i].empty()) all[i] = std::move(said[i]);
    }
  }
  return all;
}

}  // namespace coracle::internal
