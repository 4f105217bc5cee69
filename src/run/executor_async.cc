// SPDX-License-Identifier: Apache-2.0
// Blocks on engines that run while the calling thread goes on. Their results are there for planning at once, in memory
// of the session's that nothing else uses; whoever reads elements waits first (await). So the segments are those of a
// run in sequence, and so are the bits. What fails runs natively, in the calling thread, when it is waited for.
#include <algorithm>
#include <cstring>

#include "ops/control/engine_block.h"
#include "run/executor.h"

namespace coracle {

/// A block that was given to the lanes. Its operands and results are handles of its own.
struct Executor::AsyncBlock {
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
      std::optional<RunContext::Scope> scope;
      if (on_lane != 0) scope.emplace(context);  // the calling thread has that of the run
      context.check();
      if (run != nullptr) run->run(inputs, outputs);
    } catch (const std::exception& e) {
      fail_with(e);
    }
    end = Clock::now();
  }
};

// What a run has made may outlive its executor.
Executor::~Executor() {
  lanes_ = nullptr;
  ledger_->set_reclaim(nullptr);
}

bool Executor::start_async(const RunContext& context, const Graph& graph, size_t position, Frame& frame) {
  // Who looks at values does so in the order of the program.
  if (lanes_ == nullptr || observer_ != nullptr) return false;
  const NodeId id = graph.order()[position];
  const Node& node = graph.node(id);
  if (!node.op.is<EngineBlock>() || !program_->info(graph).async[index(id)]) return false;
  await(context, frame, node.inputs);
  std::vector<Tensor> inputs;
  std::vector<const Fact*> facts;
  for (ValueId v : node.inputs) {
    const Fact& fact = frame.facts[index(v)];
    const Tensor& tensor = frame.tensors[index(v)];
    inputs.push_back(tensor.empty_handle() && fact.value != nullptr ? *fact.value : tensor);
    facts.push_back(&fact);
  }
  ReadyBlock ready = ready_block(context, graph, node, inputs, facts, frame);
  if (ready.compiled == nullptr) return false;
  auto block = std::make_shared<AsyncBlock>(AsyncBlock{.node = node,
                                                       .compiled = std::move(ready.compiled),
                                                       .run = nullptr,
                                                       .inputs = std::move(inputs),
                                                       .outputs = std::move(ready.outputs),
                                                       .context = context.with_ledger(nullptr)});
  try {
    block->run = &engine_runs_.of(node, block->compiled);
  } catch (const std::exception& e) {
    block->fail_with(e);
  }
  block->work = std::make_shared<BlockLanes::Work>([b = block.get()](int lane) { b->work_on(lane); });
  for (size_t i = 0; i < block->outputs.size(); ++i) make_available(frame, node.outputs[i], block->outputs[i]);
  const std::shared_ptr<BlockLanes::Work> work = block->work;
  frame.async.push_back(std::move(block));
  lanes_->give(work);
  return true;
}

void Executor::await(const RunContext& context, Frame& frame, std::span<const ValueId> values) {
  const auto makes_one = [&](const std::shared_ptr<AsyncBlock>& b) {
    const std::vector<ValueId>& made = b->node.outputs;
    return std::find_first_of(made.begin(), made.end(), values.begin(), values.end()) != made.end();
  };
  while (!frame.async.empty()) {
    const auto found = std::find_if(frame.async.begin(), frame.async.end(), makes_one);
    if (found == frame.async.end()) return;
    finish_async(context, frame, **found);
  }
}

void Executor::finish_async(const RunContext& context, Frame& frame, AsyncBlock& block) {
  lanes_->await(*block.work, context);
  const Node& node = block.node;
  if (block.failed) {
    const EngineFailure failure{block.compiled, block.reason};
    engine_runs_.drop(*block.compiled);
    const std::vector<Tensor> results = evaluate_aside(context, node, block.inputs);
    blame_engine(node, failure);
    for (size_t i = 0; i < results.size(); ++i) {
      Tensor& out = block.outputs[i];
      require(results[i].dtype() == out.dtype() && results[i].shape() == out.shape(), ErrorCode::kRunFailure, "block ",
              node.name, " gives result ", i, " as ", results[i].dtype(), results[i].shape(), ", expected ",
              out.dtype(), out.shape());
      if (out.bytes() != 0) std::memcpy(out.raw(), results[i].raw(), out.bytes());
    }
  } else if (profile_ != nullptr) {
    const auto ns = [](AsyncBlock::Clock::duration d) {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
    };
    std::vector<const Fact*> made;
    for (const Fact& f : block.compiled->results) made.push_back(&f);
    profile_->push_back({.node = node.name,
                         .op = node.op.name(),
                         .kernel = node.op.as<EngineBlock>()->engine,
                         .outputs = made.empty() ? std::string() : text(*made.front()),
                         .start_ns = ns(block.start - run_start_),
                         .duration_ns = ns(block.end - block.start),
                         .device = block.lane == 0 ? std::string() : text("engine lane ", block.lane)});
  }
  std::erase_if(frame.async, [&](const std::shared_ptr<AsyncBlock>& b) { return b.get() == &block; });
  context.check();
}

std::vector<Executor::LateOperand> Executor::late_operands(const BoundSteps& bound, const Frame& frame) const {
  std::vector<LateOperand> late;
  if (frame.async.empty()) return late;
  const auto is_late = [&](ValueId v) {
    return std::any_of(frame.async.begin(), frame.async.end(), [&](const std::shared_ptr<AsyncBlock>& b) {
      return std::find(b->node.outputs.begin(), b->node.outputs.end(), v) != b->node.outputs.end();
    });
  };
  size_t call = 0;
  size_t end = 0;  // views of the calls so far
  for (const BoundSteps::External& e : bound.externals) {
    while (call < bound.calls.size() && e.view >= end + bound.calls[call].in.size() + bound.calls[call].out.size()) {
      end += bound.calls[call].in.size() + bound.calls[call].out.size();
      ++call;
    }
    if (is_late(e.value)) late.push_back({call, e.value});
  }
  return late;
}

std::vector<Tensor> Executor::evaluate_aside(const RunContext& context, const Node& block, std::vector<Tensor> inputs) {
  /// Sets aside the arena that is in use.
  class Aside {
   public:
    explicit Aside(Executor& executor) : executor_(executor), in_use_(executor.arena_in_use_) {
      arena_ = std::move(executor.arena_);
      executor.arena_in_use_.reset();
    }
    ~Aside() {
      executor_.free_arena();
      executor_.arena_ = std::move(arena_);
      executor_.arena_in_use_ = in_use_;
    }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

   private:
    Executor& executor_;
    Pages arena_;
    const std::optional<size_t> in_use_;
  };
  const Aside aside(*this);
  const ReferenceArgs::RunRegion run_region = [&](int r, std::vector<Tensor> args) {
    return run_nested(context, *block.regions.at(static_cast<size_t>(r)), std::move(args));
  };
  const std::vector<Fact> unknown(block.outputs.size(), Fact::unknown());
  return evaluate_node(block, std::move(inputs), unknown, &run_region);
}

}  // namespace coracle
