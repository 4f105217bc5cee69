// SPDX-License-Identifier: Apache-2.0
// Nodes whose results are like the data says, which are not planned with those behind them, and nodes that run regions.
#include <algorithm>
#include <cstring>

#include "ops/control/engine_block.h"
#include "ops/control/if.h"
#include "ops/control/while.h"
#include "plan/cost.h"
#include "run/executor.h"
#include "run/sized_call.h"

namespace coracle::internal {
namespace {

/// Operands with at most this many elements are read to plan what depends on them.
constexpr int64_t kMaxReadElements = 4096;

}  // namespace

/// Reads small operands that decide the shape of a node's results. True if that made all of them known.
bool Executor::read_shape_inputs(const RunContext& context, const Node& node, Frame& frame) {
  const std::span<const Port> ports = node.op.schema().inputs;
  bool read = false;
  size_t flat = 0;
  for (size_t p = 0; p < node.input_counts.size(); ++p) {
    for (int i = 0; i < node.input_counts[p]; ++i, ++flat) {
      const ValueId v = node.inputs[flat];
      Fact& fact = frame.facts[index(v)];
      if (!ports[p].shape_input || fact.value != nullptr || fact.is_array) continue;
      const Tensor& tensor = frame.tensors[index(v)];
      if (tensor.count() > kMaxReadElements) continue;
      fact.value = std::make_shared<const Tensor>(tensor.clone(context));
      read = true;
    }
  }
  if (!read) return false;
  std::vector<const Fact*> facts;
  for (ValueId v : node.inputs) facts.push_back(&frame.facts[index(v)]);
  const std::vector<Fact> results = infer_node(context, node, facts);
  return std::all_of(results.begin(), results.end(), [](const Fact& f) { return f.known() && !f.is_array; });
}

/// The types of a node's results, as far as they are known before it has run: of one with regions they are those that
/// the regions give when they run, whatever else would be possible.
std::vector<Fact> Executor::infer_results(const RunContext& context, const Node& node,
                                          std::span<const Fact* const> facts) const {
  if (!node.regions.empty()) return std::vector<Fact>(node.outputs.size(), Fact::unknown());
  return infer_node(context, node, facts);
}

/// On the host, but for what loops and branches hand on.
Executor::Operands Executor::operands_of(const Node& node, Frame& frame) {
  Operands operands;
  for (ValueId v : node.inputs) {
    if (!node.op.is<While>() && !node.op.is<If>()) bring_to_host(frame, v);
    const Fact& fact = frame.facts[index(v)];
    const Tensor& tensor = frame.tensors[index(v)];
    operands.tensors.push_back(tensor.empty_handle() && fact.value != nullptr ? *fact.value : tensor);
    operands.facts.push_back(&fact);
  }
  return operands;
}

void Executor::take_counted(const Graph& graph, const Steps& steps, Frame& frame) const {
  int64_t rows = 0;
  std::memcpy(&rows, arena_.data() + steps.buffers[static_cast<size_t>(steps.counted->rows)].slot.offset, sizeof(rows));
  const std::vector<ValueId>& counted = steps.counted->values;
  for (const LiveOut& out : steps.live_out) {
    const ValueId v = out.value;
    if (std::find(counted.begin(), counted.end(), v) == counted.end()) continue;
    Tensor& tensor = frame.tensors[index(v)];
    Shape shape = frame.facts[index(v)].shape;
    require(rows >= 0 && rows <= shape[0], ErrorCode::kRunFailure, "result '", graph.value(v).name, "' has ", rows,
            " rows by the device's count, expected at most ", shape[0]);
    shape[0] = rows;
    if (tensor.is_on_host()) {
      tensor.retype(tensor.dtype(), shape);
    } else {
      tensor = Tensor::on_device(tensor.dtype(), shape, tensor.storage());
    }
    frame.facts[index(v)].shape = shape;
  }
}

void Executor::run_node(const RunContext& context, const Graph& graph, size_t position, Frame& frame) {
  using Clock = std::chrono::steady_clock;
  const Node& node = graph.node(graph.order()[position]);
  const std::vector<size_t>& last_use = program_->info(graph).uses.last_use;
  auto [inputs, facts] = operands_of(node, frame);
  // A tensor array that nobody needs any more belongs to the node, which may change its list.
  for (ValueId v : node.inputs) {
    Tensor& tensor = frame.tensors[index(v)];
    if (tensor.is_array() && last_use[index(v)] == position) tensor = Tensor();
  }
  const ReferenceArgs::RunRegion run_region = [&](int r, std::vector<Tensor> args) {
    return run_nested(context, *node.regions.at(static_cast<size_t>(r)), std::move(args));
  };
  const Clock::time_point start = Clock::now();
  BlockOutcome block;
  if (blocks_ != nullptr && node.op.is<EngineBlock>()) block = blocks_->run({context, graph, node, inputs, facts});
  const bool by_engine = block.results.has_value();
  const std::vector<Fact> results = by_engine ? std::vector<Fact>() : infer_results(context, node, facts);
  if (observer_ != nullptr) observe_node(graph, node, inputs, false, *observer_);
  std::optional<SizedStep> sized;
  if (!by_engine) sized = plan_sized(context, node, facts, results, program_->selector(), pool_);
  std::vector<Tensor> outputs;
  if (by_engine) {
    outputs = std::move(*block.results);
  } else if (sized) {
    reserve_arena(sized->prepared.workspace, [&] { return text("scratch of ", sized->kernel->name); });
    std::vector<Tensor*> before;
    for (ValueId v : node.outputs) before.push_back(&frame.tensors[index(v)]);
    arena_in_use_ = sized->prepared.workspace;
    outputs = run_sized({.context = context,
                         .node = node,
                         .step = *sized,
                         .inputs = inputs,
                         .facts = facts,
                         .results = results,
                         .before = before,
                         .workspace = arena_.data(),
                         .pool = pool_,
                         .reuse = ledger_->limit() == 0});
    arena_in_use_.reset();
    context.check();
  } else {
    outputs = evaluate_node(context, node, std::move(inputs), results, &run_region);
    // What fails natively too, an index out of range for instance, is no fault of the engine.
    if (block.blame != nullptr) block.blame();
  }
  if (observer_ != nullptr) {
    observe_node(graph, node, outputs, true, *observer_);
    context.check();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    require(!outputs[i].empty_handle(), ErrorCode::kRunFailure, "operator ", node.op.name(), " (", node.name,
            ") gave no result ", i);
    make_available(frame, node.outputs[i], std::move(outputs[i]));
  }
  if (profile_ != nullptr && (by_engine || node.regions.empty())) {
    std::vector<const Fact*> made;
    for (ValueId v : node.outputs) made.push_back(&frame.facts[index(v)]);
    record({.node = node.name,
            .op = node.op.name(),
            .kernel = by_engine ? node.op.as<EngineBlock>()->engine
                      : sized   ? sized->kernel->name
                                : program_->selector().kernels(node.op.schema()).back()->name,
            .outputs = made.empty() ? std::string() : text(*made.front())},
           cost_of(node.op, NodeFacts(facts, node.input_counts, made, node.output_counts)), run_start_, start,
           *context.trace(), *profile_);
  }
}

}  // namespace coracle::internal
