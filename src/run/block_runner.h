// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/run_context.h"
#include "base/workers.h"
#include "graph/graph.h"

/// Nodes that stand for a part of a graph (ops/control/engine_block.h) may run as a whole, in another way than by
/// kernels. What does that stands behind this interface: the executor knows nothing of engines, and a program without
/// such nodes has none of it.
namespace coracle::internal {

/// A block whose operands are there.
struct BlockCall {
  const RunContext& context;
  const Graph& graph;  ///< that the block is a node of
  const Node& block;
  std::span<const Tensor> inputs;
  std::span<const Fact* const> facts;  ///< of the inputs, with elements where those are known
};

/// What a runner asks of the session that it runs blocks for.
class BlockHost {
 public:
  virtual ~BlockHost() = default;
  /// Memory for result `i` of a block. Throws Error.
  virtual Tensor make_result(const BlockCall& call, size_t i, const Fact& fact) = 0;
  /// Results of a block by its region, natively, whatever else of the run is under way. Throws Error.
  virtual std::vector<Tensor> evaluate_aside(const RunContext& context, const Node& block,
                                             std::vector<Tensor> inputs) = 0;
  /// Puts a block that ran on `lane` (0: in the calling thread) into the profile of the run, if it has one.
  virtual void record_block(const Node& block, std::span<const Fact> results,
                            std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end,
                            int lane) = 0;
};

/// What there is of a block after its call.
struct BlockOutcome {
  std::optional<std::vector<Tensor>> results;  ///< nothing: the block is to run natively
  /// Says that the block has run natively, where its engine failed: so it was the engine's fault.
  std::function<void()> blame = nullptr;
};

/// Runs the blocks of one session. One thread at a time.
class BlockRunner {
 public:
  /// Waits for what runs.
  virtual ~BlockRunner() = default;

  /// Runs a block. Throws Error where the deadline has passed.
  virtual BlockOutcome run(const BlockCall& call) = 0;

  /// Whether a node may run at the same time as what follows it; then `start` is asked first.
  virtual bool may_start(const Graph& graph, NodeId node) const = 0;
  /// Starts a block and returns its results, whose elements are there after `await`; nothing: it is to run in its turn.
  virtual std::optional<std::vector<Tensor>> start(const BlockCall& call) = 0;
  /// Whether a block of the graph was started that nobody has waited for.
  virtual bool any_started(const Graph& graph) const = 0;
  /// Whether a value is the result of such a block.
  virtual bool is_late(const Graph& graph, ValueId value) const = 0;
  /// Waits for the blocks whose results these values are; what has failed is evaluated natively.
  virtual void await(const RunContext& context, const Graph& graph, std::span<const ValueId> values) = 0;
  /// The same for all blocks of the graph.
  virtual void await_all(const RunContext& context, const Graph& graph) = 0;
  /// Forgets what was started, when a run has failed; returns when nothing runs any more.
  virtual void abandon() noexcept = 0;
  /// Gives back the memory that is kept for later runs.
  virtual void release() = 0;
};

/// Makes runners for the sessions of a program. For any thread.
class BlockRunners {
 public:
  virtual ~BlockRunners() = default;
  /// For a session with so many threads, some of which run up to `parallel` blocks at the same time. `host` outlives
  /// the runner.
  virtual std::unique_ptr<BlockRunner> make(BlockHost& host, int threads, int parallel,
                                            const std::shared_ptr<Workers>& workers) = 0;
};

}  // namespace coracle::internal
