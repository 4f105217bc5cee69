// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/patch.h"
#include "graph/pattern.h"

namespace coracle::internal {

/// A pattern and what becomes of a place where it matches.
struct Rewrite {
  Pattern pattern;
  PatternSlot root;
  /// Fills the patch; false means that this place stays as it is.
  std::function<bool(const Match& match, Patch& patch)> apply;
};

/// How many single rewrites may still happen; for bisecting.
class RewriteBudget {
 public:
  explicit RewriteBudget(int64_t limit) : left_(limit) {}
  bool empty() const { return left_ == 0; }
  /// Takes one; false when there is none left.
  bool take() {
    if (left_ == 0) return false;
    if (left_ > 0) --left_;
    return true;
  }

 private:
  int64_t left_;  // negative: no limit
};

/// What a pass makes of a graph that not every place where operators run can compute.
enum class PassMakes : uint8_t {
  kAnything,
  kIntegers,       ///< operators on int8
  kStoredWeights,  ///< float32 operators whose operands, weights above all, are stored as another type
};

/// From where a pass goes through a graph. What is read from its end is met with all that follows it.
enum class WalkFrom : uint8_t { kBegin, kEnd };

/// A named step of the pipeline: a function over a graph that returns how often it changed something, and rewrites
/// tried at every node; both until nothing changes. Regions are visited by the driver.
struct Pass {
  const char* name;
  std::vector<Rewrite> rewrites = {};
  std::function<int(Graph& graph, RewriteBudget& budget)> function = nullptr;
  PassMakes makes = PassMakes::kAnything;
  WalkFrom from = WalkFrom::kBegin;
  /// By node: why the pass left it as it is; empty where there is nothing to say.
  std::function<std::vector<std::string>(const Graph& graph)> why_left = nullptr;
};

struct PassOptions {
  std::vector<std::string> disabled;  ///< pass names, or "all"
  bool integers = true;               ///< the passes that make these run
  bool stored_weights = true;
  int64_t max_rewrites = -1;  ///< negative: no limit
  bool verify_types = false;  ///< infer all types again after every pass (tests)
  /// Told of each pass that ran, how often it changed something, and the graph then; first "loaded", before all passes.
  std::function<void(const char* pass, int count, const Graph& graph)> after_pass = nullptr;
};

/// How often each pass changed something, in order; passes that did nothing are left out.
struct PassCount {
  std::string name;
  int count = 0;
};

/// All passes, in order. Read pipeline.cc from top to bottom.
const std::vector<Pass>& pipeline();

/// Tries rewrites once at every node, the first that fits; returns how many were applied. For passes whose rewrites
/// share what they know of a graph.
int run_rewrites(const std::vector<Rewrite>& rewrites, WalkFrom from, Graph& graph, RewriteBudget& budget);

/// Runs one pass on a graph and its regions until it changes nothing more.
int run_pass(const Pass& pass, Graph& graph, RewriteBudget& budget);

/// Runs the pipeline. Errors name the pass.
std::vector<PassCount> run_passes(Graph& graph, const PassOptions& options);

/// What the passes say of nodes that they left as they are, by node.
std::vector<std::string> why_left(const Graph& graph);

}  // namespace coracle::internal
