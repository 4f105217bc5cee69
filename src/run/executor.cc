// SPDX-License-Identifier: Apache-2.0
#include "run/executor.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/counted.h"
#include "base/log.h"
#include "plan/call_failure.h"
#include "run/call_names.h"
#include "run/fact_key.h"

namespace coracle::internal {
namespace {

/// Lanes and loops share the threads.
SessionOptions with_workers(SessionOptions options) {
  if (options.parallel_engines > 1 && options.workers == nullptr) {
    options.workers = std::make_shared<Workers>(options.threads);
  }
  return options;
}

/// The limit of one run on a session's ledger, which has the session's own afterwards.
class LimitOfRun {
 public:
  LimitOfRun(MemoryLedger& ledger, size_t limit) : ledger_(ledger), before_(ledger.limit()) {
    if (limit != 0) ledger.set_limit(limit);
  }
  ~LimitOfRun() { ledger_.set_limit(before_); }
  LimitOfRun(const LimitOfRun&) = delete;
  LimitOfRun& operator=(const LimitOfRun&) = delete;

 private:
  MemoryLedger& ledger_;
  const size_t before_;
};

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, const SessionOptions& options,
                   const std::atomic<uint32_t>* cancelled)
    : program_(std::move(program)),
      options_(with_workers(options)),
      cancelled_(cancelled),
      pool_(options_.workers, options.threads),
      ledger_(std::make_shared<MemoryLedger>(options.memory_limit)),
      devices_(program_->make_devices(options_.cache_bytes == 0 ? 0 : options_.recording_bytes)),
      step_user_(program_->steps(), options.cache_bytes) {
  ledger_->set_reclaim([this] { reclaim(); });
  if (program_->blocks() == nullptr) return;
  blocks_ = program_->blocks()->make(*this, pool_.threads(), options_.parallel_engines, options_.workers);
}

// What a run has made may outlive its executor.
Executor::~Executor() {
  blocks_ = nullptr;
  ledger_->set_reclaim(nullptr);
}

MachineLimits Executor::measure_limits() {
  const ThreadPool::Run threads(pool_, RunContext());
  pool_.start();
  return host_device().measure_limits(program_->selector().capability(), pool_);
}

void Executor::run(std::vector<Tensor>& outputs, std::span<const Tensor> inputs, const RunOptions& options,
                   std::span<const OutputMemory> memory) {
  outputs.clear();
  run_start_ = std::chrono::steady_clock::now();
  memory_ = memory;
  select(memory);
  written_.clear();
  stay_.clear();
  for (const OutputMemory& m : memory) {
    if (m.on_device || m.there != nullptr) stay_.push_back(program_->graph().outputs()[written_.size()]);
    written_.push_back(m.takes_kernels(inputs));
  }
  late_.reset();
  const bool is_watched = profile_ != nullptr || observer_ != nullptr;
  const bool has_limit = options.time_limit_ms != 0 || options_.time_limit_ms != 0 || options.cancelled != nullptr;
  if (options.may_end_late && !is_watched && !has_limit) late_.emplace(LateEnd{options.after, {}, {}});
  const LimitOfRun limit(*ledger_, options.memory_limit);
  std::optional<LoopTrace> trace;
  if (profile_ != nullptr) trace.emplace(pool_.threads());
  const int64_t time_limit_ms = options.time_limit_ms != 0 ? options.time_limit_ms : options_.time_limit_ms;
  const RunContext context(
      Deadline("the run", options.called.value_or(run_start_), time_limit_ms, cancelled_, options.cancelled), ledger_,
      trace ? &*trace : nullptr);
  const ThreadPool::Run threads(pool_, context);
  step_user_.begin_run();
  try {
    // An earlier run may have had a higher limit.
    if (ledger_->limit() != 0 && ledger_->used() > ledger_->limit()) free_all();
    run_main(context, follow(inputs, options), outputs);
    deliver(context, outputs);
    if (late_ && late_->end != nullptr) {  // whoever reads them elsewhere waits
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (!outputs[i].is_on_host()) outputs[i] = read_after(outputs[i], late_->end);  // not one that is left out
      }
    }
    late_.reset();
    if (options_.cache_bytes == 0) unbind();
  } catch (...) {
    outputs.clear();
    given_.clear();
    if (blocks_ != nullptr) blocks_->abandon();
    late_.reset();
    arena_in_use_.reset();
    frames_.clear();
    memory_ = {};
    if (ledger_->limit() != 0) free_all();
    throw;
  }
}

/// Without devices: copies between these and the host wait for one another by their numbers.
void Executor::select(std::span<const OutputMemory> memory) {
  const bool is_all = std::all_of(memory.begin(), memory.end(), [](const OutputMemory& m) { return m.is_wanted; });
  if (is_all && wanted_.empty()) return;
  std::vector<bool> wanted;
  if (!is_all)
    std::transform(memory.begin(), memory.end(), std::back_inserter(wanted),
                   [](const OutputMemory& m) { return m.is_wanted; });
  if (wanted == wanted_) return;
  wanted_ = std::move(wanted);
  selection_.set(program_->graph(), devices_ == nullptr ? wanted_ : std::vector<bool>());
}

void Executor::run_main(const RunContext& context, std::span<Tensor> inputs, std::vector<Tensor>& outputs) {
  try {
    run_graph(context, program_->graph(), inputs, outputs);
    given_.clear();
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::kOutOfMemory, "not enough memory for this run: use smaller inputs");
  } catch (const std::length_error&) {
    fail(ErrorCode::kOutOfMemory, "the run needs more memory than can be addressed: use smaller inputs");
  }
}

std::shared_ptr<const Steps> Executor::plan(std::span<const Fact> inputs, bool keep_refusals) {
  const RunContext context(Deadline("planning", Deadline::Clock::now(), options_.time_limit_ms, cancelled_), ledger_);
  const ThreadPool::Run threads(pool_, context);
  const Graph& graph = program_->graph();
  Frame frame = frame_of(graph);
  for (size_t i = 0; i < inputs.size(); ++i) frame.facts[index(graph.inputs()[i])] = inputs[i];
  return std::make_shared<const Steps>(
      plan_segment(graph, program_->info(graph).uses, 0, frame.facts, plan_context(context, graph, keep_refusals)));
}

PlanContext Executor::plan_context(const RunContext& context, const Graph& graph, bool keep_refusals) {
  const Program::GraphInfo& info = program_->info(graph);
  return {.selector = &program_->selector(),
          .packed = &program_->packed(),
          .graph = info.number,
          .pool = &pool_,
          .run = context,
          .keep_refusals = keep_refusals,
          .constants = program_->constants(),
          .stay = stay(graph)};
}

Executor::Frame& Executor::frame_of(const Graph& graph) {
  if (const auto made = frames_.find(&graph); made != frames_.end()) {
    for (ValueId v : made->second.available) {
      made->second.facts[index(v)].value = nullptr;
      // On a device the results of this run lie where those of the last one do.
      Tensor& tensor = made->second.tensors[index(v)];
      if (!tensor.is_on_host()) tensor = Tensor();
    }
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

void Executor::run_graph(const RunContext& context, const Graph& graph, std::span<Tensor> inputs,
                         std::vector<Tensor>& outputs) {
  context.check();
  Frame& frame = frame_of(graph);
  require(inputs.size() == graph.inputs().size(), ErrorCode::kInvalidArgument, "the program has ",
          counted(graph.inputs().size(), "input"), ", given ", inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) make_available(frame, graph.inputs()[i], std::move(inputs[i]));

  size_t position = 0;
  while (position < graph.order().size()) {
    const Node& node = graph.node(graph.order()[position]);
    const bool is_needed = this->is_needed(graph, node);
    if (is_needed && blocks_ != nullptr && start_block(context, graph, position, frame)) {
      free_used(graph, frame, ++position);
      continue;
    }
    // What is of unknown type in the graph may be a tensor array in this run.
    const bool takes_array =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return frame.facts[index(v)].is_array; });
    if (plannable(graph, node) && !takes_array) {
      const std::shared_ptr<const PlannedSteps> planned = steps_for(context, graph, position, frame);
      if (planned->steps.stop > position) {
        run_steps(context, graph, position, planned, frame);
        position = planned->steps.stop;
        free_used(graph, frame, position);
        continue;
      }
      if (is_needed) await(context, graph, node.inputs);
      if (is_needed && read_shape_inputs(context, node, frame)) continue;
    }
    if (is_needed) {
      await(context, graph, node.inputs);
      run_node(context, graph, position, frame);
    } else {  // nothing of another run may be taken for its results
      for (ValueId v : node.outputs) frame.facts[index(v)] = Fact::unknown();
    }
    free_used(graph, frame, ++position);
  }
  if (blocks_ != nullptr) blocks_->await_all(context, graph);
  outputs.reserve(graph.outputs().size());
  const bool is_main = &graph == &program_->graph();
  for (ValueId v : graph.outputs()) {
    const Value& value = graph.value(v);
    const bool is_left_out = is_main && outputs.size() < wanted_.size() && !wanted_[outputs.size()];
    outputs.push_back(is_left_out ? Tensor() : value.is_constant() ? *value.fact.value : frame.tensors[index(v)]);
  }
  // Whoever gets a tensor array is its only owner.
  for (ValueId v : frame.available) {
    Tensor& tensor = frame.tensors[index(v)];
    if (tensor.is_array()) tensor = Tensor();
  }
}

/// Results of a region belong to the node that runs it: its next run makes others.
std::vector<Tensor> Executor::run_nested(const RunContext& context, const Graph& graph, std::vector<Tensor> inputs) {
  std::vector<Tensor> outputs;
  run_graph(context, graph, inputs, outputs);
  free_used(graph, frames_.at(&graph), std::numeric_limits<size_t>::max());
  return outputs;
}

std::shared_ptr<const PlannedSteps> Executor::steps_for(const RunContext& context, const Graph& graph, size_t position,
                                                        const Frame& frame) {
  StepCache& cache = program_->steps();
  const Program::GraphInfo& info = program_->info(graph);
  const SegmentRequest request{.graph = graph,
                               .number = info.number,
                               .position = position,
                               .end = info.end_of_segment(position),
                               .facts = frame.facts,
                               .threads = pool_.threads(),
                               .stay = stay(graph)};
  if (const auto last = frame.bound.find(position); last != frame.bound.end()) {
    const std::shared_ptr<const PlannedSteps>& planned = last->second->planned();
    if (planned != nullptr && planned->match(request, key_)) {
      cache.touch(*planned);
      return planned;
    }
  }
  return cache.get(request, step_user_, context, [&] { return plan_steps(context, graph, position, frame); });
}

/// Tables that are made while planning belong to the steps, which other sessions may use and keep: they are on a ledger
/// of their own, which has what this session's has left.
std::unique_ptr<PlannedSteps> Executor::plan_steps(const RunContext& context, const Graph& graph, size_t position,
                                                   const Frame& frame) {
  const auto start = std::chrono::steady_clock::now();
  const auto tables = std::make_shared<MemoryLedger>(ledger_->limit());
  size_t held = ledger_->limit() == 0 ? 0 : ledger_->used();
  tables->charge(held, [] { return "what the run holds"; });
  tables->set_reclaim([&] {
    reclaim();
    const size_t left = std::min(held, ledger_->used());
    tables->give_back(held - left);
    held = left;
  });
  auto planned = std::make_unique<PlannedSteps>();
  try {
    const RunContext planning = context.with_ledger(tables);
    const Program::GraphInfo& info = program_->info(graph);
    PlanContext segment = plan_context(planning, graph, false);
    segment.end = info.end_of_segment(position);
    planned->steps = plan_segment(graph, info.uses, position, frame.facts, segment);
  } catch (...) {
    tables->set_reclaim(nullptr);
    throw;
  }
  tables->set_reclaim(nullptr);
  planned->table_bytes = tables->used() - held;
  tables->give_back(held);
  if (logs(LogLevel::kInfo)) log_plan(graph, position, frame, planned->steps, std::chrono::steady_clock::now() - start);
  return planned;
}

void Executor::log_plan(const Graph& graph, size_t position, const Frame& frame, const Steps& steps,
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

void Executor::run_steps(const RunContext& context, const Graph& graph, size_t position,
                         const std::shared_ptr<const PlannedSteps>& planned, Frame& frame) {
  const Steps& steps = planned->steps;
  std::shared_ptr<BoundSteps>& last = frame.bound[position];
  if (last == nullptr) last = std::make_shared<BoundSteps>();
  const std::shared_ptr<BoundSteps> held = last;  // whatever is unbound meanwhile
  BoundSteps& bound = *held;
  if (bound.planned() != planned) bound.take(planned, context.ledger());
  const uint64_t selection = &graph == &program_->graph() ? selection_.number() : 0;
  if (selection != 0 && bound.selection != selection) bound.selected = selected_steps(graph, steps, selection_);
  bound.selection = selection;
  // Under a limit, what a larger run has left must not be missing in this one.
  const auto may_reuse = [&](const Tensor& before, const Fact& fact) {
    return fact.place.is_host() && (ledger_->limit() == 0 || before.bytes() == fact.bytes()) &&
           before.reusable_for(fact.dtype, fact.shape);
  };
  for (const LiveOut& out : steps.live_out) {
    const SegmentBuffer& buffer = steps.buffers[static_cast<size_t>(out.buffer)];
    Tensor& tensor = frame.tensors[index(out.value)];
    if (selection != 0 && !selection_.has(out.value) && !bound.selected.written[static_cast<size_t>(out.buffer)]) {
      tensor = Tensor();
    } else if (buffer.slot.kind == Slot::Kind::kConstant) {
      // The plan's, which other sessions may have: never written.
      const std::shared_ptr<const Tensor>& value = buffer.fact.value;
      tensor = Tensor::share(value->dtype(), value->shape(), value, value->raw());
    } else if (std::optional<Tensor> given = in_user_memory(graph, out.value, buffer.fact, steps)) {
      tensor = std::move(*given);
    } else if (may_reuse(tensor, buffer.fact)) {
      tensor.retype(buffer.fact.dtype, buffer.fact.shape);
    } else {
      tensor = Tensor();
      try {
        const Fact& fact = buffer.fact;
        tensor = fact.place.is_host() ? Tensor::make(context, fact.dtype, fact.shape)
                                      : devices_->make(fact, context.ledger());
      } catch (Error& e) {
        e.add_context(text("making result '", graph.value(out.value).name, "'"));
        throw;
      }
    }
    if (buffer.fact.lod != nullptr) tensor.set_lod(*buffer.fact.lod);
    frame.facts[index(out.value)] = buffer.fact;
    frame.facts[index(out.value)].layout = Layout::kRowMajor;
    frame.available.push_back(out.value);
  }
  reserve_arena(steps.arena_bytes, [&] { return largest_tensor(graph, steps); });
  bound.bind(arena_.data(), &pool_);
  bound.bind_externals(frame.tensors);
  arena_in_use_ = steps.arena_bytes;
  run_calls(context, graph, bound, late_end(graph, position, steps, frame));
  arena_in_use_.reset();
  if (steps.counted) take_counted(graph, steps, frame);
}

void Executor::run_calls(const RunContext& context, const Graph& graph, BoundSteps& bound, LateEnd* late_end) {
  const std::vector<Step>& steps = bound.steps().steps;
  const std::vector<LateOperand> late = late_operands(graph, bound);
  if (!bound.steps().devices.empty()) {
    for (const LateOperand& operand : late) await(context, graph, {&operand.value, 1});
    const auto call = [&](size_t i) { run_call(context, graph, bound.steps(), steps[i], bound.calls[i]); };
    return devices_->run({context, graph, bound, profile_, observer_, run_start_, call, late_end});
  }
  auto next_late = late.begin();
  for (size_t i = 0; i < bound.calls.size(); ++i) {
    if (bound.selection != 0 && !bound.selected.runs[i]) continue;
    for (; next_late != late.end() && next_late->call <= i; ++next_late) await(context, graph, {&next_late->value, 1});
    run_call(context, graph, bound.steps(), steps[i], bound.calls[i]);
  }
}

/// Of a step on the host all of it; of a device it gives the call to its queue, and DeviceRunner does the rest.
void Executor::run_call(const RunContext& context, const Graph& graph, const Steps& steps, const Step& step,
                        KernelCall& call) {
  using Clock = std::chrono::steady_clock;
  const bool shows = observer_ != nullptr && step.place.is_host();
  std::string detail;
  call.context = &context;
  call.failure = nullptr;
  call.failure_detail = &detail;
  if (shows) [[unlikely]]
    observe_step(graph, steps, step, call, false, *observer_);
  const Clock::time_point start = profile_ != nullptr ? Clock::now() : Clock::time_point{};
  step.kernel->run(call);
  if (profile_ != nullptr) {
    record({.node = node_name(graph, step),
            .op = step.op.name(),
            .kernel = step.kernel->name,
            .outputs = call.out.empty() ? std::string() : text(*call.out[0].fact)},
           cost_of(steps, step), run_start_, start, *context.trace(), *profile_);
  }
  if (call.failure != nullptr) [[unlikely]] {
    throw Error(code_of_failure(call.failure), detail.empty() ? std::string(call.failure) : detail)
        .add_context(text("running operator ", step.op.name(), " (", node_name(graph, step), ")"));
  }
  context.check();  // a kernel that met it has left its results unfinished
  if (shows) [[unlikely]] {
    observe_step(graph, steps, step, call, true, *observer_);
    context.check();  // whoever looks at results may cancel
  }
}

}  // namespace coracle::internal
