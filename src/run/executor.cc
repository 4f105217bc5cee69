// SPDX-License-Identifier: Apache-2.0
#include "run/executor.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/counted.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/loop_trace.h"
#include "plan/call_failure.h"
#include "run/call_names.h"
#include "run/fact_key.h"

namespace coracle {
namespace {

Fact fact_of(const Tensor& tensor) {
  Fact fact(tensor.dtype(), tensor.is_array() ? Shape::unknown_rank() : tensor.shape());
  fact.is_array = tensor.is_array();
  if (!tensor.lod().empty()) fact.lod = std::make_shared<const Lod>(tensor.lod());
  return fact;
}

/// Lanes and loops share the threads.
SessionOptions with_workers(SessionOptions options) {
  if (options.parallel_engines > 1 && options.workers == nullptr) {
    options.workers = std::make_shared<Workers>(options.threads);
  }
  return options;
}

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, const SessionOptions& options,
                   const std::atomic<uint32_t>* cancelled)
    : program_(std::move(program)),
      options_(with_workers(options)),
      cancelled_(cancelled),
      pool_(options_.workers, options.threads),
      ledger_(std::make_shared<MemoryLedger>(options.memory_limit)),
      devices_(program_->selector().devices().empty() ? nullptr
                                                      : std::make_unique<DeviceRun>(program_->selector().devices())),
      step_user_(program_->steps(), options.cache_bytes) {
  ledger_->set_reclaim([this] { reclaim(); });
  const int lanes = std::min(options_.parallel_engines, pool_.threads());
  if (lanes > 1) lanes_ = std::make_unique<BlockLanes>(lanes, pool_.threads() / lanes, options_.workers);
}

MachineLimits Executor::measure_limits() {
  const ThreadPool::Run threads(pool_);
  pool_.start();
  return host_device().measure_limits(program_->selector().capability(), pool_);
}

std::vector<Tensor> Executor::run(std::span<const Tensor> inputs) {
  const ThreadPool::Run threads(pool_);
  run_start_ = std::chrono::steady_clock::now();
  step_user_.begin_run();
  const MemoryLedger::Scope scope(ledger_);
  const Deadline deadline("the run", run_start_, options_.time_limit_ms, cancelled_);
  const Deadline::Scope until(deadline);
  std::optional<LoopTrace> trace;
  if (profile_ != nullptr) trace.emplace(pool_.threads());
  const LoopTrace::Scope traced(trace ? &*trace : nullptr);
  try {
    std::vector<Tensor> outputs = run_main(inputs);
    if (options_.cache_bytes == 0) unbind();
    return outputs;
  } catch (...) {
    if (lanes_ != nullptr) lanes_->abandon();
    arena_in_use_.reset();
    frames_.clear();
    if (options_.memory_limit != 0) free_arena();
    if (options_.memory_limit != 0 && devices_ != nullptr) devices_->release();
    throw;
  }
}

std::vector<Tensor> Executor::run_main(std::span<const Tensor> inputs) {
  try {
    return run_graph(program_->graph(), {inputs.begin(), inputs.end()});
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::kOutOfMemory, "not enough memory for this run: use smaller inputs");
  } catch (const std::length_error&) {
    fail(ErrorCode::kOutOfMemory, "the run needs more memory than can be addressed: use smaller inputs");
  }
}

std::shared_ptr<const Steps> Executor::plan(std::span<const Fact> inputs, bool keep_refusals) {
  const ThreadPool::Run threads(pool_);
  const MemoryLedger::Scope scope(ledger_);
  const Deadline deadline("planning", Deadline::Clock::now(), options_.time_limit_ms, cancelled_);
  const Deadline::Scope until(deadline);
  const Graph& graph = program_->graph();
  Frame frame = frame_of(graph);
  for (size_t i = 0; i < inputs.size(); ++i) frame.facts[index(graph.inputs()[i])] = inputs[i];
  const Program::GraphInfo& info = program_->info(graph);
  return std::make_shared<const Steps>(
      plan_segment(graph, info.uses, 0, frame.facts, plan_context(info, keep_refusals)));
}

PlanContext Executor::plan_context(const Program::GraphInfo& info, bool keep_refusals) {
  return {.selector = &program_->selector(),
          .packed = &program_->packed(),
          .graph = info.number,
          .pool = &pool_,
          .keep_refusals = keep_refusals,
          .constants = program_->constants()};
}

Executor::Frame& Executor::frame_of(const Graph& graph) {
  if (const auto made = frames_.find(&graph); made != frames_.end()) {
    for (ValueId v : made->second.available) made->second.facts[index(v)].value = nullptr;
    made->second.available.clear();
    return made->second;
  }
  Frame frame;
  frame.facts.resize(graph.value_count());
  frame.tensors.resize(graph.value_count());
  for (size_t i = 0; i < frame.facts.size(); ++i) {
    const Value& v = graph.value(ValueId{static_cast<int32_t>(i)});
    if (v.is_constant()) frame.facts[i] = v.fact;
  }
  return frames_.emplace(&graph, std::move(frame)).first->second;
}

void Executor::make_available(Frame& frame, ValueId value, Tensor tensor) {
  frame.facts[index(value)] = fact_of(tensor);
  frame.tensors[index(value)] = std::move(tensor);
  frame.available.push_back(value);
}

std::vector<Tensor> Executor::run_graph(const Graph& graph, std::vector<Tensor> inputs) {
  Deadline::check_current();
  Frame& frame = frame_of(graph);
  require(inputs.size() == graph.inputs().size(), ErrorCode::kInvalidArgument, "the program has ",
          counted(graph.inputs().size(), "input"), ", given ", inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) make_available(frame, graph.inputs()[i], std::move(inputs[i]));

  size_t position = 0;
  while (position < graph.order().size()) {
    const Node& node = graph.node(graph.order()[position]);
    if (start_beside(graph, position, frame)) {
      free_used(graph, frame, ++position);
      continue;
    }
    // What is of unknown type in the graph may be a tensor array in this run.
    const bool takes_array =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return frame.facts[index(v)].is_array; });
    if (plannable(graph, node) && !takes_array) {
      const std::shared_ptr<const PlannedSteps> planned = steps_for(graph, position, frame);
      if (planned->steps.stop > position) {
        run_steps(graph, position, planned, frame);
        position = planned->steps.stop;
        free_used(graph, frame, position);
        continue;
      }
      await(frame, node.inputs);
      if (read_shape_inputs(node, frame)) continue;
    }
    await(frame, node.inputs);
    run_alone(graph, position, frame);
    free_used(graph, frame, ++position);
  }
  while (!frame.beside.empty()) finish_beside(frame, *frame.beside.front());
  std::vector<Tensor> outputs;
  outputs.reserve(graph.outputs().size());
  for (ValueId v : graph.outputs()) {
    const Value& value = graph.value(v);
    outputs.push_back(value.is_constant() ? *value.fact.value : frame.tensors[index(v)]);
  }
  // Whoever gets a tensor array is its only owner.
  for (ValueId v : frame.available) {
    Tensor& tensor = frame.tensors[index(v)];
    if (tensor.is_array()) tensor = Tensor();
  }
  return outputs;
}

/// Results of a region belong to the node that runs it: its next run makes others.
std::vector<Tensor> Executor::run_nested(const Graph& graph, std::vector<Tensor> inputs) {
  std::vector<Tensor> outputs = run_graph(graph, std::move(inputs));
  free_used(graph, frames_.at(&graph), std::numeric_limits<size_t>::max());
  return outputs;
}

std::shared_ptr<const PlannedSteps> Executor::steps_for(const Graph& graph, size_t position, const Frame& frame) {
  StepCache& cache = program_->steps();
  const Program::GraphInfo& info = program_->info(graph);
  const SegmentRequest request{.graph = graph,
                               .number = info.number,
                               .position = position,
                               .end = info.end_of_segment(position),
                               .facts = frame.facts,
                               .threads = pool_.threads()};
  if (const auto last = frame.bound.find(position); last != frame.bound.end()) {
    const std::shared_ptr<const PlannedSteps>& planned = last->second->planned();
    if (planned != nullptr && planned->match(request, key_)) {
      cache.touch(*planned);
      return planned;
    }
  }
  return cache.get(request, step_user_, [&] { return plan_steps(graph, position, frame); });
}

/// Tables that are made while planning belong to the steps, which other sessions may use and keep: they are on a ledger
/// of their own, which has what this session's has left.
std::unique_ptr<PlannedSteps> Executor::plan_steps(const Graph& graph, size_t position, const Frame& frame) {
  const auto start = std::chrono::steady_clock::now();
  const auto tables = std::make_shared<MemoryLedger>(options_.memory_limit);
  size_t held = options_.memory_limit == 0 ? 0 : ledger_->used();
  tables->charge(held, [] { return "what the run holds"; });
  tables->set_reclaim([&] {
    reclaim();
    const size_t left = std::min(held, ledger_->used());
    tables->give_back(held - left);
    held = left;
  });
  auto planned = std::make_unique<PlannedSteps>();
  try {
    const MemoryLedger::Scope scope(tables);
    const Program::GraphInfo& info = program_->info(graph);
    PlanContext context = plan_context(info, false);
    context.end = info.end_of_segment(position);
    planned->steps = plan_segment(graph, info.uses, position, frame.facts, context);
  } catch (...) {
    tables->set_reclaim(nullptr);
    throw;
  }
  tables->set_reclaim(nullptr);
  planned->table_bytes = tables->used() - held;
  tables->give_back(held);
  if (logs(LogLevel::kInfo))
    tell_plan(graph, position, frame, planned->steps, std::chrono::steady_clock::now() - start);
  return planned;
}

void Executor::tell_plan(const Graph& graph, size_t position, const Frame& frame, const Steps& steps,
                         std::chrono::nanoseconds taken) const try {
  const Program::GraphInfo& info = program_->info(graph);
  std::string operands;
  for (ValueId v : frame.available) {
    const size_t last = info.uses.last_use[index(v)];
    if (last == GraphUses::kUnused || last < position) continue;
    operands.append(text(operands.empty() ? " for '" : ", '", graph.value(v).name, "' ", frame.facts[index(v)]));
  }
  constexpr size_t kMostNamed = 8;
  std::string by_reference;
  size_t count = 0;
  for (const Step& step : steps.steps) {
    if (step.node == kNoNode || std::string_view(step.kernel->name) != "reference") continue;
    if (++count <= kMostNamed) {
      by_reference.append(text(count == 1 ? "; without a kernel, by reference: " : ", ", graph.node(step.node).name));
    }
  }
  if (count > kMostNamed) by_reference.append(text(" and ", count - kMostNamed, " more"));
  log(LogLevel::kInfo, "planned nodes ", position, " to ", steps.stop, " of graph ", info.key, operands, ": ",
      counted(steps.steps.size(), "step"), ", ", counted(steps.arena_bytes, "byte"), ", in ",
      std::chrono::duration_cast<std::chrono::microseconds>(taken).count(), " us", by_reference);
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the plan is there without its message
}

void Executor::run_steps(const Graph& graph, size_t position, const std::shared_ptr<const PlannedSteps>& planned,
                         Frame& frame) {
  const Steps& steps = planned->steps;
  // Under a limit, what a larger run has left must not be missing in this one.
  const auto may_reuse = [&](const Tensor& before, const Fact& fact) {
    return (options_.memory_limit == 0 || before.bytes() == fact.bytes()) &&
           before.reusable_for(fact.dtype, fact.shape);
  };
  for (const LiveOut& out : steps.live_out) {
    const Local& local = steps.locals[static_cast<size_t>(out.local)];
    Tensor& tensor = frame.tensors[index(out.value)];
    if (local.slot.kind == Slot::Kind::kConstant) {
      // The plan's, which other sessions may have: never written.
      const std::shared_ptr<const Tensor>& value = local.fact.value;
      tensor = Tensor::share(value->dtype(), value->shape(), value, value->raw());
    } else if (may_reuse(tensor, local.fact)) {
      tensor.retype(local.fact.dtype, local.fact.shape);
    } else {
      tensor = Tensor();
      try {
        tensor = Tensor::make(local.fact.dtype, local.fact.shape);
      } catch (Error& e) {
        e.add_context(text("making result '", graph.value(out.value).name, "'"));
        throw;
      }
    }
    if (local.fact.lod != nullptr) tensor.set_lod(*local.fact.lod);
    frame.facts[index(out.value)] = local.fact;
    frame.facts[index(out.value)].layout = Layout::kRowMajor;
    frame.available.push_back(out.value);
  }
  std::shared_ptr<BoundSteps>& last = frame.bound[position];
  if (last == nullptr) last = std::make_shared<BoundSteps>();
  const std::shared_ptr<BoundSteps> held = last;  // whatever is unbound meanwhile
  BoundSteps& bound = *held;
  if (bound.planned() != planned) bound.take(planned, ledger_);
  reserve_arena(steps.arena_bytes, [&] { return largest_tensor(graph, steps); });
  bound.bind(arena_.data(), &pool_);
  for (const BoundSteps::External& e : bound.externals) {
    bound.views[e.view].data = frame.tensors[index(e.value)].raw();
  }
  arena_in_use_ = steps.arena_bytes;
  if (steps.devices.empty()) {
    run_calls(graph, bound, frame, nullptr);
  } else {
    for (const LateOperand& late : late_operands(bound, frame)) await(frame, {&late.value, 1});
    DeviceRun::Segment on_devices(*devices_, graph, bound, profile_, run_start_);
    run_calls(graph, bound, frame, &on_devices);
    on_devices.finish();
  }
  arena_in_use_.reset();
}

void Executor::observe(const Graph& graph, const BoundSteps& bound, size_t i, bool results,
                       DeviceRun::Segment* on_devices) {
  const Step& step = bound.steps().steps[i];
  if (step.copy != nullptr) return;
  if (step.place.is_host()) return observe_step(graph, bound.steps(), step, bound.calls[i], results, *observer_);
  const DeviceRun::Segment::Seen seen = on_devices->seen(i, results);
  observe_step(graph, bound.steps(), step, seen.call(), results, *observer_);
}

void Executor::run_calls(const Graph& graph, BoundSteps& bound, Frame& frame, DeviceRun::Segment* on_devices) {
  using Clock = std::chrono::steady_clock;
  const std::vector<LateOperand> late = late_operands(bound, frame);
  auto next_late = late.begin();
  std::string detail;
  for (size_t i = 0; i < bound.calls.size(); ++i) {
    KernelCall& call = bound.calls[i];
    const Step& step = bound.steps().steps[i];
    for (; next_late != late.end() && next_late->call == i; ++next_late) await(frame, {&next_late->value, 1});
    call.failure = nullptr;
    call.failure_detail = &detail;
    if (on_devices != nullptr) [[unlikely]]
      on_devices->before(i);
    if (observer_ != nullptr) [[unlikely]]
      observe(graph, bound, i, false, on_devices);
    const Clock::time_point start = profile_ != nullptr ? Clock::now() : Clock::time_point{};
    step.kernel->run(call);
    if (profile_ != nullptr) {
      record({.node = node_name(graph, step),
              .op = step.op.name(),
              .kernel = step.kernel->name,
              .outputs = call.out.empty() ? std::string() : text(*call.out[0].fact)},
             cost_of(bound.steps(), step), run_start_, start, *profile_);
    }
    if (call.failure != nullptr) [[unlikely]] {
      throw Error(code_of_failure(call.failure), detail.empty() ? std::string(call.failure) : detail)
          .add_context(text("running operator ", step.op.name(), " (", node_name(graph, step), ")"));
    }
    if (on_devices != nullptr) [[unlikely]]
      on_devices->after(i);
    Deadline::check_current();  // a kernel that met it has left its results unfinished
    if (observer_ != nullptr) [[unlikely]] {
      observe(graph, bound, i, true, on_devices);
      Deadline::check_current();  // whoever looks at results may cancel
    }
  }
}

}  // namespace coracle
