// SPDX-License-Identifier: Apache-2.0
// Nodes that are blocks: what their runner asks of the executor, and waiting for those that run at the same time.
#include "ops/control/engine_block.h"
#include "run/executor.h"

namespace coracle::internal {

Tensor Executor::make_result(const BlockCall& call, size_t i, const Fact& fact) {
  Tensor& before = frames_.at(&call.graph).tensors[index(call.block.outputs[i])];
  Tensor result;
  if (ledger_->limit() == 0 && before.reusable_for(fact.dtype, fact.shape)) {
    before.retype(fact.dtype, fact.shape);
    before.set_lod({});
    result = std::move(before);
  } else {
    before = Tensor();
    result = Tensor::make(call.context, fact.dtype, fact.shape);
  }
  if (fact.lod != nullptr) result.set_lod(*fact.lod);
  return result;
}

void Executor::record_block(const Node& block, std::span<const Fact> results,
                            std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end,
                            int lane) {
  if (profile_ == nullptr) return;
  profile_->push_back({.node = block.name,
                       .op = block.op.name(),
                       .kernel = block.op.as<EngineBlock>()->engine,
                       .outputs = results.empty() ? std::string() : text(results.front()),
                       .start_ns = ns(start - run_start_),
                       .duration_ns = ns(end - start),
                       .device = lane == 0 ? std::string() : text("engine lane ", lane)});
}

bool Executor::start_block(const RunContext& context, const Graph& graph, size_t position, Frame& frame) {
  const NodeId id = graph.order()[position];
  const Node& node = graph.node(id);
  // Who looks at values does so in the order of the program.
  if (!node.op.is<EngineBlock>() || observer_ != nullptr || !blocks_->may_start(graph, id)) return false;
  blocks_->await(context, graph, node.inputs);
  const Operands operands = operands_of(node, frame);
  const std::optional<std::vector<Tensor>> results =
      blocks_->start({context, graph, node, operands.tensors, operands.facts});
  if (!results) return false;
  for (size_t i = 0; i < results->size(); ++i) make_available(frame, node.outputs[i], (*results)[i]);
  return true;
}

std::vector<Executor::LateOperand> Executor::late_operands(const Graph& graph, const BoundSteps& bound) const {
  std::vector<LateOperand> late;
  if (blocks_ == nullptr || !blocks_->any_started(graph)) return late;
  size_t call = 0;
  size_t end = 0;  // views of the calls so far
  for (const BoundSteps::External& e : bound.externals) {
    while (call < bound.calls.size() && e.view >= end + bound.calls[call].in.size() + bound.calls[call].out.size()) {
      end += bound.calls[call].in.size() + bound.calls[call].out.size();
      ++call;
    }
    if (blocks_->is_late(graph, e.value)) late.push_back({call, e.value});
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
  return evaluate_node(context, block, std::move(inputs), unknown, &run_region);
}

}  // namespace coracle::internal
