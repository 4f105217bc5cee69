// SPDX-License-Identifier: Apache-2.0
#include "blocks/block_runner.h"

#include <algorithm>
#include <cstring>

namespace coracle::internal {

// Blocks that run while the calling thread goes on. Their results are there for planning at once, in memory of the
// session's that nothing else uses; whoever reads elements waits first (await). So the segments are those of a run in
// sequence, and so are the bits. What fails runs natively, in the calling thread, when it is waited for.

/// A block that was given to the lanes. Its operands and results are handles of its own.
struct EngineRunner::AsyncBlock {
  using Clock = std::chrono::steady_clock;

  const Node& node;
  std::shared_ptr<const CompiledFor> compiled;
  BlockRun* run;  // null where none could be made: failed from the start
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  RunContext context;  // that of the run without its ledger, for other threads
  std::shared_ptr<BlockLanes::Work> work = {};
  // What came of it, once the work is done.
  int lane = 0;
  Clock::time_point start = {};
  Clock::time_point end = {};
  bool failed = false;
  std::string reason = {};

  void fail_with(const std::exception& e) noexcept {
    failed = true;
    try {
      reason = e.what();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): failed without its reason
    }
  }
  void work_on(int on_lane) noexcept {
    lane = on_lane;
    start = Clock::now();
    try {
      context.check();
      if (run != nullptr) run->run(inputs, outputs);
    } catch (const std::exception& e) {
      fail_with(e);
    }
    end = Clock::now();
  }
};

EngineRunner::EngineRunner(EngineBlocks& blocks, BlockHost& host, int threads, int parallel,
                           const std::shared_ptr<Workers>& workers)
    : blocks_(blocks), host_(host), threads_(threads) {
  const int lanes = std::min(parallel, threads);
  if (lanes > 1) lanes_ = std::make_unique<BlockLanes>(lanes, threads / lanes, workers);
}

EngineRunner::~EngineRunner() { lanes_ = nullptr; }  // before what they work on

EngineRunner::ReadyBlock EngineRunner::ready(const BlockCall& call) {
  const std::vector<bool>& decides = blocks_.decides_sizes(call.block);
  std::vector<Fact> operands;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    Fact fact = *call.facts[i];
    if (fact.is_array) return {};
    // Elements that follow from sizes stay known, as they were where the engine was asked about the nodes.
    const bool known = decides[i] || fact.value != nullptr;
    fact.value = known ? std::make_shared<const Tensor>(call.inputs[i].clone(call.context)) : nullptr;
    operands.push_back(std::move(fact));
  }
  const bool async = may_start(call.graph, call.graph.value(call.block.outputs.at(0)).producer);
  ReadyBlock ready{
      .compiled = blocks_.find(call.block, operands, async ? lanes_->threads_each() : threads_, call.context),
      .outputs = {}};
  if (ready.compiled == nullptr) return ready;
  for (size_t i = 0; i < ready.compiled->results.size(); ++i) {
    ready.outputs.push_back(host_.make_result(call, i, ready.compiled->results[i]));
  }
  return ready;
}

BlockOutcome EngineRunner::run(const BlockCall& call) {
  ReadyBlock block = ready(call);
  if (block.compiled == nullptr) return {};
  try {
    runs_.of(call.block, block.compiled).run(call.inputs, block.outputs);
    return {.results = std::move(block.outputs)};
  } catch (const std::exception& e) {
    call.context.check();
    runs_.drop(*block.compiled);
    return {.results = std::nullopt,
            .blame = [this, &node = call.block, compiled = block.compiled, reason = std::string(e.what())] {
              blocks_.give_up(node, *compiled, reason);
            }};
  }
}

bool EngineRunner::may_start(const Graph& graph, NodeId node) const {
  return lanes_ != nullptr && blocks_.async(graph, node);
}

std::optional<std::vector<Tensor>> EngineRunner::start(const BlockCall& call) {
  ReadyBlock found = ready(call);
  if (found.compiled == nullptr) return std::nullopt;
  auto block = std::make_shared<AsyncBlock>(AsyncBlock{.node = call.block,
                                                       .compiled = std::move(found.compiled),
                                                       .run = nullptr,
                                                       .inputs = {call.inputs.begin(), call.inputs.end()},
                                                       .outputs = std::move(found.outputs),
                                                       .context = call.context.without_ledger()});
  try {
    block->run = &runs_.of(call.block, block->compiled);
  } catch (const std::exception& e) {
    block->fail_with(e);
  }
  block->work = std::make_shared<BlockLanes::Work>([b = block.get()](int lane) { b->work_on(lane); });
  std::vector<Tensor> results = block->outputs;
  const std::shared_ptr<BlockLanes::Work> work = block->work;
  started_[&call.graph].push_back(std::move(block));
  lanes_->give(work);
  return results;
}

bool EngineRunner::any_started(const Graph& graph) const {
  const auto found = started_.find(&graph);
  return found != started_.end() && !found->second.empty();
}

bool EngineRunner::is_late(const Graph& graph, ValueId value) const {
  const auto found = started_.find(&graph);
  if (found == started_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const std::shared_ptr<AsyncBlock>& b) {
    return std::find(b->node.outputs.begin(), b->node.outputs.end(), value) != b->node.outputs.end();
  });
}

void EngineRunner::await(const RunContext& context, const Graph& graph, std::span<const ValueId> values) {
  const auto makes_one = [&](const std::shared_ptr<AsyncBlock>& b) {
    const std::vector<ValueId>& made = b->node.outputs;
    return std::find_first_of(made.begin(), made.end(), values.begin(), values.end()) != made.end();
  };
  while (any_started(graph)) {
    const Started& started = started_.at(&graph);
    const auto found = std::find_if(started.begin(), started.end(), makes_one);
    if (found == started.end()) return;
    finish(context, graph, **found);
  }
}

void EngineRunner::await_all(const RunContext& context, const Graph& graph) {
  while (any_started(graph)) finish(context, graph, *started_.at(&graph).front());
}

void EngineRunner::finish(const RunContext& context, const Graph& graph, AsyncBlock& block) {
  lanes_->await(*block.work, context);
  const Node& node = block.node;
  if (block.failed) {
    runs_.drop(*block.compiled);
    const std::vector<Tensor> results = host_.evaluate_aside(context, node, block.inputs);
    blocks_.give_up(node, *block.compiled, block.reason);
    for (size_t i = 0; i < results.size(); ++i) {
      Tensor& out = block.outputs[i];
      require(results[i].dtype() == out.dtype() && results[i].shape() == out.shape(), ErrorCode::kRunFailure, "block ",
              node.name, " gives result ", i, " as ", results[i].dtype(), results[i].shape(), ", expected ",
              out.dtype(), out.shape());
      if (out.bytes() != 0) std::memcpy(out.raw(), results[i].raw(), out.bytes());
    }
  } else {
    host_.record_block(node, block.compiled->results, block.start, block.end, block.lane);
  }
  started_.at(&graph).remove_if([&](const std::shared_ptr<AsyncBlock>& b) { return b.get() == &block; });
  context.check();
}

void EngineRunner::abandon() noexcept {
  if (lanes_ != nullptr) lanes_->abandon();
  started_.clear();
}

std::unique_ptr<BlockRunner> EngineBlocks::make(BlockHost& host, int threads, int parallel,
                                                const std::shared_ptr<Workers>& workers) {
  return std::make_unique<EngineRunner>(*this, host, threads, parallel, workers);
}

}  // namespace coracle::internal
