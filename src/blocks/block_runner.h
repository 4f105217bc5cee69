// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "blocks/block_lanes.h"
#include "blocks/engine_blocks.h"
#include "run/block_runner.h"

namespace coracle::internal {

/// Runs the blocks of one session on their engines, in turn or on lanes at the same time as other work.
class EngineRunner : public BlockRunner {
 public:
  /// `blocks` and `host` outlive it; `threads` are the session's.
  EngineRunner(EngineBlocks& blocks, BlockHost& host, int threads, int parallel,
               const std::shared_ptr<Workers>& workers);
  ~EngineRunner() override;
  EngineRunner(const EngineRunner&) = delete;
  EngineRunner& operator=(const EngineRunner&) = delete;

  BlockOutcome run(const BlockCall& call) override;
  bool may_start(const Graph& graph, NodeId node) const override;
  std::optional<std::vector<Tensor>> start(const BlockCall& call) override;
  bool any_started(const Graph& graph) const override;
  bool is_late(const Graph& graph, ValueId value) const override;
  void await(const RunContext& context, const Graph& graph, std::span<const ValueId> values) override;
  void await_all(const RunContext& context, const Graph& graph) override;
  void abandon() noexcept override;
  void release() override { runs_.clear(); }

 private:
  struct AsyncBlock;
  using Started = std::list<std::shared_ptr<AsyncBlock>>;
  /// A block for operands that are there, and memory for its results; `compiled` is null where it runs natively.
  struct ReadyBlock {
    std::shared_ptr<const CompiledFor> compiled;
    std::vector<Tensor> outputs;
  };
  ReadyBlock ready(const BlockCall& call);
  void finish(const RunContext& context, const Graph& graph, AsyncBlock& block);

  EngineBlocks& blocks_;
  BlockHost& host_;
  const int threads_;
  EngineRuns runs_;
  std::unordered_map<const Graph*, Started> started_;  // whose results nobody has waited for
  std::unique_ptr<BlockLanes> lanes_;                  // null: one thing after the other
};

}  // namespace coracle::internal
