// SPDX-License-Identifier: Apache-2.0
#include "run/executor.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/deadline.h"
#include "base/log.h"
#include "base/loop_trace.h"
#include "plan/call_failure.h"
#include "plan/cost.h"
#include "run/sized_call.h"

namespace coracle {
namespace {

/// What helper threads did since the last call, in a run that began at `start` and is profiled.
std::vector<ProfileEvent::Helper> helpers_since(std::chrono::steady_clock::time_point start) {
  const auto zero = std::chrono::duration_cast<std::chrono::nanoseconds>(start.time_since_epoch()).count();
  std::vector<ProfileEvent::Helper> helpers;
  for (const LoopTrace::Span& s : LoopTrace::current()->take()) {
    helpers.push_back({s.thread, s.begin - zero, s.end - s.begin, s.busy});
  }
  return helpers;
}

/// Operands with at most this many elements are read to plan what depends on them.
constexpr int64_t kMaxReadElements = 4096;

template <class T>
void append_raw(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_fact(std::string& key, const Fact& fact) {
  key.push_back(static_cast<char>(fact.dtype));
  key.push_back(static_cast<char>(fact.shape.rank()));
  key.append(reinterpret_cast<const char*>(fact.shape.begin()),
             static_cast<size_t>(std::max(fact.shape.rank(), 0)) * sizeof(int64_t));
  if (fact.lod != nullptr) {
    key.push_back('L');
    for (const std::vector<size_t>& level : *fact.lod) {
      append_raw(key, level.size());
      key.append(reinterpret_cast<const char*>(level.data()), level.size() * sizeof(size_t));
    }
  }
  if (fact.value != nullptr) {
    key.push_back('V');
    key.append(static_cast<const char*>(fact.value->raw()), fact.value->bytes());
  }
}

Fact fact_of(const Tensor& tensor) {
  Fact fact(tensor.dtype(), tensor.is_array() ? Shape::unknown_rank() : tensor.shape());
  fact.is_array = tensor.is_array();
  if (!tensor.lod().empty()) fact.lod = std::make_shared<const Lod>(tensor.lod());
  return fact;
}

Cost cost_of_step(const Steps& steps, const Step& step) {
  if (step.kernel->view) return {};
  if (!step.parts.empty()) {
    Cost all;
    for (const Step& part : step.parts) {
      const Cost cost = cost_of_step(steps, part);
      all.flops += cost.flops;
      all.bytes += cost.bytes;
      if (&part == &step.parts.back()) break;
      // Neither written nor read as a whole.
      all.bytes -= 2 * static_cast<int64_t>(steps.locals[static_cast<size_t>(part.out.at(0))].fact.bytes());
    }
    return all;
  }
  const auto facts = [&](const std::vector<int>& locals) {
    std::vector<const Fact*> list;
    for (int local : locals) list.push_back(&steps.locals[static_cast<size_t>(local)].fact);
    return list;
  };
  const std::vector<const Fact*> in = facts(step.in);
  const std::vector<const Fact*> out = facts(step.out);
  Cost cost = cost_of(step.op, NodeFacts(in, step.in_counts, out, step.out_counts));
  cost.flops = static_cast<int64_t>(static_cast<double>(cost.flops) * step.kernel->multiplies);
  return cost;
}

}  // namespace

Executor::Executor(std::shared_ptr<const Program> program, const SessionOptions& options,
                   const std::atomic<uint32_t>* cancelled)
    : program_(std::move(program)),
      options_(options),
      cancelled_(cancelled),
      pool_(options.workers, options.threads),
      ledger_(std::make_shared<MemoryLedger>(options.memory_limit)),
      cache_(options.cache_bytes) {
  ledger_->set_reclaim([this] { reclaim(); });
}

// What a run has made may outlive its executor.
Executor::~Executor() { ledger_->set_reclaim(nullptr); }

MachineLimits Executor::measure_limits() {
  const ThreadPool::Run threads(pool_);
  pool_.start();
  for (const Device* device : all_devices()) {
    if (device->is_host()) return device->measure_limits(program_->selector().isa(), pool_);
  }
  throw Error(ErrorCode::kUnsupported, "this build has no CPU kernels");
}

std::vector<Tensor> Executor::run(std::span<const Tensor> inputs) {
  const ThreadPool::Run threads(pool_);
  run_start_ = std::chrono::steady_clock::now();
  const MemoryLedger::Scope scope(ledger_);
  const Deadline deadline("the run", run_start_, options_.time_limit_ms, cancelled_);
  const Deadline::Scope until(deadline);
  std::optional<LoopTrace> trace;
  if (profile_ != nullptr) trace.emplace(pool_.threads());
  const LoopTrace::Scope traced(trace ? &*trace : nullptr);
  try {
    return run_main(inputs);
  } catch (...) {
    arena_in_use_.reset();
    frames_.clear();
    if (options_.memory_limit != 0) free_arena();
    throw;
  }
}

std::vector<Tensor> Executor::run_main(std::span<const Tensor> inputs) {
  try {
    return run_graph(program_->graph(), {inputs.begin(), inputs.end()});
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::kOutOfMemory, "the system has not the memory that the run needs: use smaller inputs");
  } catch (const std::length_error&) {
    fail(ErrorCode::kOutOfMemory, "the run needs more memory than a system can have: use smaller inputs");
  }
}

std::shared_ptr<const BoundSteps> Executor::plan(std::span<const Fact> inputs, bool keep_refusals) {
  const ThreadPool::Run threads(pool_);
  const MemoryLedger::Scope scope(ledger_);
  const Deadline deadline("planning", Deadline::Clock::now(), options_.time_limit_ms, cancelled_);
  const Deadline::Scope until(deadline);
  const Graph& graph = program_->graph();
  Frame frame = frame_of(graph);
  for (size_t i = 0; i < inputs.size(); ++i) frame.facts[index(graph.inputs()[i])] = inputs[i];
  const Program::GraphInfo& info = program_->info(graph);
  return std::make_shared<BoundSteps>(plan_segment(graph, info.uses, 0, frame.facts,
                                                   {.selector = &program_->selector(),
                                                    .packed = &program_->packed(),
                                                    .graph_key = info.key,
                                                    .pool = &pool_,
                                                    .keep_refusals = keep_refusals}));
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
          graph.inputs().size(), " inputs, given ", inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) make_available(frame, graph.inputs()[i], std::move(inputs[i]));

  size_t position = 0;
  while (position < graph.order().size()) {
    const Node& node = graph.node(graph.order()[position]);
    // What is of unknown type in the graph may be a tensor array in this run.
    const bool takes_array =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) { return frame.facts[index(v)].is_array; });
    if (plannable(graph, node) && !takes_array) {
      const std::shared_ptr<BoundSteps> bound = steps_for(graph, position, frame);
      if (bound->steps.stop > position) {
        run_steps(graph, *bound, frame);
        position = bound->steps.stop;
        free_used(graph, frame, position);
        continue;
      }
      if (read_shape_inputs(node, frame)) continue;
    }
    run_alone(graph, position, frame);
    free_used(graph, frame, ++position);
  }
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

std::shared_ptr<BoundSteps> Executor::steps_for(const Graph& graph, size_t position, const Frame& frame) {
  const Program::GraphInfo& info = program_->info(graph);
  key_.clear();
  append_raw(key_, reinterpret_cast<uintptr_t>(&graph));
  append_raw(key_, position);
  for (ValueId v : frame.available) {
    const size_t last = info.uses.last_use[index(v)];
    if (last == GraphUses::kUnused || last < position || frame.facts[index(v)].is_array) continue;
    append_raw(key_, v);
    append_fact(key_, frame.facts[index(v)]);
  }
  std::shared_ptr<BoundSteps> bound = cache_.find(key_);
  if (bound == nullptr) {
    const auto start = std::chrono::steady_clock::now();
    bound = std::make_shared<BoundSteps>(plan_segment(
        graph, info.uses, position, frame.facts,
        {.selector = &program_->selector(), .packed = &program_->packed(), .graph_key = info.key, .pool = &pool_}));
    if (logs(LogLevel::kInfo))
      tell_plan(graph, position, frame, bound->steps, std::chrono::steady_clock::now() - start);
    cache_.insert(key_, bound);
  }
  return bound;
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
      steps.steps.size(), " steps, ", steps.arena_bytes, " bytes, in ",
      std::chrono::duration_cast<std::chrono::microseconds>(taken).count(), " us", by_reference);
} catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the plan is there without its message
}

void Executor::run_steps(const Graph& graph, BoundSteps& bound, Frame& frame) {
  // Under a limit, what a larger run has left must not be missing in this one.
  const auto may_reuse = [&](const Tensor& before, const Fact& fact) {
    return (options_.memory_limit == 0 || before.bytes() == fact.bytes()) &&
           before.reusable_for(fact.dtype, fact.shape);
  };
  for (const LiveOut& out : bound.steps.live_out) {
    const Local& local = bound.steps.locals[static_cast<size_t>(out.local)];
    Tensor& tensor = frame.tensors[index(out.value)];
    if (local.slot.kind == Slot::Kind::kConstant) {
      tensor = *local.fact.value;
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
  reserve_arena(bound.steps.arena_bytes, [&] { return largest_tensor(graph, bound.steps); });
  bound.bind(arena_.data(), &pool_);
  for (const BoundSteps::External& e : bound.externals) {
    bound.views[e.view].data = frame.tensors[index(e.value)].raw();
  }
  arena_in_use_ = bound.steps.arena_bytes;
  run_calls(graph, bound);
  arena_in_use_.reset();
}

void Executor::run_calls(const Graph& graph, BoundSteps& bound) {
  using Clock = std::chrono::steady_clock;
  std::string detail;
  for (size_t i = 0; i < bound.calls.size(); ++i) {
    KernelCall& call = bound.calls[i];
    const Step& step = bound.steps.steps[i];
    call.failure = nullptr;
    call.failure_detail = &detail;
    const Clock::time_point start = profile_ != nullptr ? Clock::now() : Clock::time_point{};
    if (observer_ != nullptr) [[unlikely]] {
      observe_step(graph, bound.steps, step, call, false, *observer_);
    }
    step.kernel->run(call);
    const auto node_name = [&] {
      const auto name_of_one = [&](const Step& one) {
        return one.node == kNoNode ? std::string(one.op.name()) : graph.node(one.node).name;
      };
      std::string name;
      for (const Step& part : step.parts) name += (name.empty() ? "" : " + ") + name_of_one(part);
      return step.parts.empty() ? name_of_one(step) : name;
    };
    if (profile_ != nullptr) {
      const Clock::time_point end = Clock::now();
      const auto ns = [](auto d) { return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(); };
      const Cost cost = cost_of_step(bound.steps, step);
      profile_->push_back({.node = node_name(),
                           .op = step.op.name(),
                           .kernel = step.kernel->name,
                           .outputs = call.out.empty() ? std::string() : text(*call.out[0].fact),
                           .start_ns = ns(start - run_start_),
                           .duration_ns = ns(end - start),
                           .flops = cost.flops,
                           .bytes = cost.bytes,
                           .helpers = helpers_since(run_start_)});
    }
    if (call.failure != nullptr) [[unlikely]] {
      throw Error(code_of_failure(call.failure), detail.empty() ? std::string(call.failure) : detail)
          .add_context(text("running operator ", step.op.name(), " (", node_name(), ")"));
    }
    Deadline::check_current();  // a kernel that met it has left its results unfinished
    if (observer_ != nullptr) [[unlikely]] {
      observe_step(graph, bound.steps, step, call, true, *observer_);
      Deadline::check_current();  // whoever looks at results may cancel
    }
  }
}

/// Reads small operands that decide the shape of a node's results. True if that made all of them known.
bool Executor::read_shape_inputs(const Node& node, Frame& frame) {
  const std::span<const Port> ports = node.op.row().inputs;
  bool read = false;
  size_t flat = 0;
  for (size_t p = 0; p < node.input_counts.size(); ++p) {
    for (int i = 0; i < node.input_counts[p]; ++i, ++flat) {
      const ValueId v = node.inputs[flat];
      Fact& fact = frame.facts[index(v)];
      if (!ports[p].shape_input || fact.value != nullptr || fact.is_array) continue;
      const Tensor& tensor = frame.tensors[index(v)];
      if (tensor.count() > kMaxReadElements) continue;
      fact.value = std::make_shared<const Tensor>(tensor.clone());
      read = true;
    }
  }
  if (!read) return false;
  std::vector<const Fact*> facts;
  for (ValueId v : node.inputs) facts.push_back(&frame.facts[index(v)]);
  const std::vector<Fact> results = infer_node(node, facts);
  return std::all_of(results.begin(), results.end(), [](const Fact& f) { return f.known() && !f.is_array; });
}

/// The types of a node's results, as far as they are known before it has run: of one with regions they are those that
/// the regions give when they run, whatever else would be possible.
std::vector<Fact> Executor::infer_results(const Node& node, std::span<const Fact* const> facts) const {
  if (!node.regions.empty()) return std::vector<Fact>(node.outputs.size(), Fact::unknown());
  return infer_node(node, facts);
}

void Executor::run_alone(const Graph& graph, size_t position, Frame& frame) {
  using Clock = std::chrono::steady_clock;
  const Node& node = graph.node(graph.order()[position]);
  const std::vector<size_t>& last_use = program_->info(graph).uses.last_use;
  std::vector<Tensor> inputs;
  std::vector<const Fact*> facts;
  for (ValueId v : node.inputs) {
    const Fact& fact = frame.facts[index(v)];
    const Tensor& tensor = frame.tensors[index(v)];
    inputs.push_back(tensor.empty_handle() && fact.value != nullptr ? *fact.value : tensor);
    facts.push_back(&fact);
  }
  // A tensor array that nobody needs any more belongs to the node, which may change its list.
  for (ValueId v : node.inputs) {
    Tensor& tensor = frame.tensors[index(v)];
    if (tensor.is_array() && last_use[index(v)] == position) tensor = Tensor();
  }
  const ReferenceArgs::RunRegion run_region = [&](int r, std::vector<Tensor> args) {
    return run_nested(*node.regions.at(static_cast<size_t>(r)), std::move(args));
  };
  const Clock::time_point start = Clock::now();
  const std::vector<Fact> results = infer_results(node, facts);
  if (observer_ != nullptr) observe_node(graph, node, inputs, false, *observer_);
  const std::optional<SizedStep> sized = plan_sized(node, facts, results, program_->selector(), pool_);
  std::vector<Tensor> outputs;
  if (sized) {
    reserve_arena(sized->prepared.workspace, [&] { return text("scratch of ", sized->kernel->name); });
    std::vector<Tensor*> before;
    for (ValueId v : node.outputs) before.push_back(&frame.tensors[index(v)]);
    arena_in_use_ = sized->prepared.workspace;
    outputs = run_sized({.node = node,
                         .step = *sized,
                         .inputs = inputs,
                         .facts = facts,
                         .results = results,
                         .before = before,
                         .workspace = arena_.data(),
                         .pool = pool_,
                         .reuse = options_.memory_limit == 0});
    arena_in_use_.reset();
    Deadline::check_current();
  } else {
    outputs = evaluate_node(node, std::move(inputs), results, &run_region);
  }
  if (observer_ != nullptr) {
    observe_node(graph, node, outputs, true, *observer_);
    Deadline::check_current();
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    require(!outputs[i].empty_handle(), ErrorCode::kRunFailure, "operator ", node.op.name(), " (", node.name,
            ") gave no result ", i);
    make_available(frame, node.outputs[i], std::move(outputs[i]));
  }
  if (profile_ != nullptr && node.regions.empty()) {
    const Clock::time_point end = Clock::now();
    const auto ns = [](auto d) { return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(); };
    std::vector<const Fact*> made;
    for (ValueId v : node.outputs) made.push_back(&frame.facts[index(v)]);
    const Cost cost = cost_of(node.op, NodeFacts(facts, node.input_counts, made, node.output_counts));
    profile_->push_back({.node = node.name,
                         .op = node.op.name(),
                         .kernel = sized ? sized->kernel->name : "reference",
                         .outputs = node.outputs.empty() ? std::string() : text(frame.facts[index(node.outputs[0])]),
                         .start_ns = ns(start - run_start_),
                         .duration_ns = ns(end - start),
                         .flops = cost.flops,
                         .bytes = cost.bytes,
                         .helpers = helpers_since(run_start_)});
  }
}

}  // namespace coracle
