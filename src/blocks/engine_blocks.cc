// SPDX-License-Identifier: Apache-2.0
#include "blocks/engine_blocks.h"

#include <algorithm>

#include "base/counted.h"
#include "base/log.h"
#include "base/printable.h"
#include "blocks/async.h"
#include "blocks/engine_key.h"
#include "ops/control/engine_block.h"
#include "run/fact_key.h"

namespace coracle::internal {
namespace {

/// By operand: whether an operand that decides a shape follows from it.
std::vector<bool> find_deciding(const Graph& graph) {
  std::vector<bool> decides(graph.value_count(), false);  // by value
  const std::vector<NodeId>& order = graph.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& node = graph.node(*id);
    const std::span<const Port> ports = node.op.schema().inputs;
    const bool result_decides =
        std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId v) { return decides[index(v)]; });
    size_t flat = 0;
    for (size_t p = 0; p < node.input_counts.size(); ++p) {
      for (int i = 0; i < node.input_counts[p]; ++i, ++flat) {
        const ValueId v = node.inputs[flat];
        if (result_decides || ports[p].shape_input) decides[index(v)] = true;
      }
    }
  }
  std::vector<bool> operands;
  for (ValueId v : graph.inputs()) operands.push_back(decides[index(v)]);
  return operands;
}

std::string key_of(std::span<const Fact> operands) {
  std::string key;
  for (const Fact& f : operands) append_fact(key, f);
  return key;
}

std::string described_operands(std::span<const Fact> operands) {
  std::string all;
  for (const Fact& f : operands) all.append(text(all.empty() ? "" : ", ", f));
  return all;
}

/// Keeps operands that differ from others of their kind in dimensions in which no two have differed yet.
void remember(std::list<std::vector<Fact>>& seen, std::span<const Fact> operands) {
  constexpr size_t kMost = 32;
  std::vector<std::vector<Fact>> sizes;
  for (const std::vector<Fact>& s : seen) {
    if (same_but_sizes(s, operands)) sizes.push_back(s);
  }
  const size_t before = differences(sizes).size();
  sizes.emplace_back(operands.begin(), operands.end());
  if (sizes.size() > 1 && differences(sizes).size() == before) return;
  seen.push_front(std::move(sizes.back()));
  if (seen.size() > kMost) seen.pop_back();
}

}  // namespace

EngineBlocks::EngineBlocks(EngineChoice choice, FileCache cache, CompiledInFile in_file, const Graph& graph,
                           size_t most_bytes, const RunContext& context)
    : choice_(std::move(choice)),
      store_(std::move(cache), std::move(in_file)),
      most_bytes_(most_bytes),
      ranges_(block_ranges(context, graph, choice_.shapes)) {
  add_async(graph, false);
}

void EngineBlocks::add_async(const Graph& graph, bool all) {
  const std::vector<bool>& nodes = async_.emplace(&graph, async_nodes(graph, all)).first->second;
  for (NodeId id : graph.order()) {
    for (const std::shared_ptr<Graph>& region : graph.node(id).regions) add_async(*region, nodes[index(id)]);
  }
}

EngineBlocks::State::State(const Node& block) : decides_sizes(find_deciding(*block.regions.at(0))) {}

EngineBlocks::State& EngineBlocks::state_of(const Node& block) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<State>& state = states_[block.regions.at(0).get()];
  if (state == nullptr) {
    state = std::make_unique<State>(block);
    state->engine = &engine_of(block);
    const auto range = ranges_.find(block.regions[0].get());
    if (range != ranges_.end()) state->range = &range->second;
  }
  return *state;
}

const UsedEngine& EngineBlocks::engine_of(const Node& block) {
  const auto* op = block.op.as<EngineBlock>();
  require(op != nullptr, ErrorCode::kInvalidArgument, "node ", block.name, " is not an engine block");
  const auto is_it = [&](const UsedEngine& e) { return e.name == op->engine; };
  const auto chosen = std::find_if(choice_.engines.begin(), choice_.engines.end(), is_it);
  if (chosen != choice_.engines.end()) return *chosen;
  const auto other = std::find_if(others_.begin(), others_.end(), is_it);
  if (other != others_.end()) return *other;
  const Precision precision = choice_.engines.empty() ? Precision::kDefault : choice_.engines[0].options.precision;
  return others_.emplace_back(used_engine(op->engine, precision));
}

const std::vector<bool>& EngineBlocks::decides_sizes(const Node& block) { return state_of(block).decides_sizes; }

void EngineBlocks::tell(State& state, const Node& block, std::string_view reason) {
  if (std::exchange(state.told, true)) return;
  log(LogLevel::kWarning, "the block ", block.name, " of ", counted(block.regions[0]->order().size(), "node"),
      " runs natively, not on ", state.engine->name, ": ", printable(reason));
}

FileCache EngineBlocks::default_cache() {
  constexpr size_t kMostBytes = size_t{1} << 30U;
  return {FileCache::default_folder("CORACLE_ENGINE_CACHE", "engines"), kMostBytes};
}

std::shared_ptr<HeldBlock> EngineBlocks::compile_for_one(State& state, const Wanted& wanted) {
  auto held = std::make_shared<HeldBlock>();
  held->operands.assign(wanted.operands.begin(), wanted.operands.end());
  held->threads = wanted.threads;
  held->made = store_.make(*state.engine,
                           {.graph = *wanted.block.regions[0],
                            .facts = wanted.facts,
                            .threads = wanted.threads,
                            .options = state.engine->options},
                           wanted.context);
  return held;
}

/// Null where nothing varies, or not in a way that the engine can compile.
std::shared_ptr<HeldBlock> EngineBlocks::compile_for_many(State& state, const Wanted& wanted) {
  if (!state.varies || !state.engine->engine->varies()) return nullptr;
  const Graph& graph = *wanted.block.regions[0];
  const std::vector<Fact> operands(wanted.operands.begin(), wanted.operands.end());
  std::vector<std::vector<Fact>> sizes;
  if (state.range != nullptr) {
    for (const std::vector<Shape>* shapes : {&state.range->min, &state.range->max}) {
      sizes.push_back(operands);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].value == nullptr) sizes.back()[i].shape = (*shapes)[i];
      }
    }
  } else {
    for (const std::vector<Fact>& seen : state.seen) {
      if (same_but_sizes(seen, operands)) sizes.push_back(seen);
    }
    sizes.push_back(operands);
  }
  auto held = std::make_shared<HeldBlock>();
  held->varying = differences(sizes);
  if (held->varying.empty()) return nullptr;
  if (state.range != nullptr) held->varying = state.range->varying();
  for (const VaryingDim& d : held->varying) append_raw(held->attempt, d);
  append_raw(held->attempt, wanted.threads);
  for (const Fact& f : operands) append_kind(held->attempt, f);
  if (!state.attempts.insert(held->attempt).second) return nullptr;
  try {
    std::vector<std::vector<Fact>> examples;
    for (const std::vector<Fact>& at : sizes) examples.push_back(infer_graph(wanted.context, graph, at));
    held->operands = state.range != nullptr ? sizes.front() : operands;
    held->threads = wanted.threads;
    held->serves_more = true;
    held->made = store_.make(*state.engine,
                             {.graph = graph,
                              .facts = state.range != nullptr ? std::span(examples.front()) : wanted.facts,
                              .threads = wanted.threads,
                              .options = state.engine->options,
                              .varying = held->varying,
                              .examples = examples},
                             wanted.context);
    return held;
  } catch (const Error& e) {
    if (wanted.context.over()) {  // which says nothing of the block
      state.attempts.erase(held->attempt);
      throw;
    }
    log(LogLevel::kInfo, "the block ", wanted.block.name, " is compiled for each size, ", state.engine->name,
        " cannot compile it for several: ", printable(e.text()));
    return nullptr;
  }
}

std::shared_ptr<const CompiledFor> EngineBlocks::compile(State& state, const Node& block,
                                                         std::span<const Fact> operands, int threads, std::string key,
                                                         const RunContext& context) {
  const Graph& graph = *block.regions[0];
  auto compiled = std::make_shared<CompiledFor>();
  compiled->key = std::move(key);
  const std::vector<Fact> facts = infer_graph(context, graph, operands);
  for (ValueId v : graph.outputs()) compiled->results.push_back(facts[index(v)]);
  const auto unknown = [](const Fact& f) { return !f.known() || f.is_array; };
  // Constants may be: a list of no axes.
  const auto empty = [](const Fact& f) { return f.known() && f.shape.count() == 0; };
  bool any_empty = false;
  for (size_t v = 0; v < facts.size(); ++v) {
    any_empty = any_empty || (empty(facts[v]) && !graph.value(ValueId{static_cast<int32_t>(v)}).is_constant());
  }
  if (state.engine->engine == nullptr) return compiled;  // which was told when it was looked for
  if (std::any_of(facts.begin(), facts.end(), unknown) || any_empty) {
    tell(state, block, text("some of its sizes are zero or depend on data, with ", described_operands(operands)));
    return compiled;
  }
  if (state.range != nullptr && !state.range->contains(operands)) {
    tell(state, block, text("a shape is outside what was compiled, with ", described_operands(operands)));
    return compiled;
  }
  const Wanted wanted{.block = block, .operands = operands, .facts = facts, .threads = threads, .context = context};
  const BlockToCompile asked{.graph = graph, .facts = facts, .threads = threads, .options = state.engine->options};
  std::shared_ptr<HeldBlock> held;
  const auto serves = [&](const std::shared_ptr<HeldBlock>& h) {
    if (h->threads != threads) return false;
    if (h->varying.empty()) return key_of(h->operands) == key_of(operands);
    return h->serves_more && within(h->operands, h->varying, operands) && h->made.block->serves(asked);
  };
  std::string reason;
  try {
    const auto found = std::find_if(state.held.begin(), state.held.end(), serves);
    if (found != state.held.end()) {
      held = *found;
    } else {
      held = compile_for_many(state, wanted);
      if (held != nullptr) state.held.push_back(held), bytes_ += held->made.block->bytes();
      if (held == nullptr || !(state.range == nullptr || held->made.block->serves(asked))) {
        held = compile_for_one(state, wanted);
        state.held.push_back(held), bytes_ += held->made.block->bytes();
      }
    }
  } catch (const Error& e) {
    context.check();  // then it says nothing of the block
    reason = e.text();
  } catch (const std::exception& e) {
    reason = e.what();
  }
  if (!reason.empty()) tell(state, block, text("it does not compile for ", described_operands(operands), ": ", reason));
  if (reason.empty()) {
    compiled->held = held;
    compiled->block = held->made.block;
  }
  remember(state.seen, operands);
  return compiled;
}

std::shared_ptr<const CompiledFor> EngineBlocks::find(const Node& block, std::span<const Fact> operands, int threads,
                                                      const RunContext& context) {
  State& state = state_of(block);
  std::string key;
  append_raw(key, threads);
  for (const Fact& f : operands) append_fact(key, f);
  const std::lock_guard lock(state.mutex);
  auto& all = state.sizes;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c->key == key; });
  if (found != all.end()) {
    all.splice(all.begin(), all, found);
  } else {
    all.push_front(compile(state, block, operands, threads, std::move(key), context));
    if (all.size() > kMaxSizes) all.pop_back();
  }
  std::shared_ptr<const CompiledFor> used = all.front();
  if (used->block == nullptr) return nullptr;
  used->held->used = ++uses_;
  if (found == all.end()) trim(state);
  return used;
}

/// The caller holds the state's mutex.
void EngineBlocks::drop(State& state, const std::shared_ptr<HeldBlock>& held) {
  const std::shared_ptr<HeldBlock> kept = held;
  kept->dropped = true;
  bytes_ -= kept->made.block->bytes();
  state.attempts.erase(kept->attempt);
  std::erase_if(state.sizes, [&](const auto& c) { return c->held == kept; });
  std::erase(state.held, kept);
}

/// The caller holds the state's mutex. Other blocks that are being compiled right now are left out.
void EngineBlocks::trim(State& state) {
  const auto older = [](const auto& a, const auto& b) { return a->used < b->used; };
  while (state.held.size() > kMaxCompiled) {
    drop(state, *std::min_element(state.held.begin(), state.held.end(), older));
  }
  while (bytes_ > most_bytes_) {
    // Each block keeps what it has used last: or blocks that run in turn would be compiled in each run.
    const std::lock_guard lock(mutex_);
    State* oldest_of = nullptr;
    std::unique_lock<std::mutex> oldest_lock;
    std::shared_ptr<HeldBlock> oldest;
    for (const auto& [region, other] : states_) {
      std::unique_lock<std::mutex> other_lock;
      if (other.get() != &state) {
        other_lock = std::unique_lock(other->mutex, std::try_to_lock);
        if (!other_lock.owns_lock()) continue;
      }
      if (other->held.size() < 2) continue;
      const std::shared_ptr<HeldBlock>& held = *std::min_element(other->held.begin(), other->held.end(), older);
      if (oldest != nullptr && held->used > oldest->used) continue;
      oldest_of = other.get();
      oldest_lock = std::move(other_lock);
      oldest = held;
    }
    if (oldest == nullptr) return;
    drop(*oldest_of, oldest);
  }
}

void EngineBlocks::give_up(const Node& block, const CompiledFor& failed, std::string_view reason) {
  State& state = state_of(block);
  const std::lock_guard lock(state.mutex);
  for (std::shared_ptr<const CompiledFor>& c : state.sizes) {
    if (c.get() != &failed) continue;
    auto native = std::make_shared<CompiledFor>(failed);
    native->block = nullptr;
    native->held = nullptr;
    c = std::move(native);
    break;
  }
  if (failed.held != nullptr && !failed.held->varying.empty()) {
    failed.held->serves_more = false;
    state.varies = false;
  }
  // What nothing uses any more goes.
  const auto used = [&](const auto& c) { return c->held == failed.held; };
  const auto held = std::find(state.held.begin(), state.held.end(), failed.held);
  if (held != state.held.end() && std::none_of(state.sizes.begin(), state.sizes.end(), used)) drop(state, *held);
  tell(state, block, text("it failed in a run: ", reason));
}

std::vector<SavedCompiled> EngineBlocks::saved(const Graph& region) {
  std::vector<SavedCompiled> all = store_.in_file(region);
  std::vector<EngineStore::Made> made;
  State* state = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = states_.find(&region);
    if (found == states_.end()) return all;
    state = found->second.get();
  }
  {
    const std::lock_guard lock(state->mutex);
    for (const std::shared_ptr<HeldBlock>& held : state->held) made.push_back(held->made);
  }
  const UsedEngine& engine = *state->engine;
  if (engine.engine == nullptr || !engine.engine->saves_blocks()) return all;
  for (const EngineStore::Made& m : made) {
    const auto is_it = [&](const SavedCompiled& c) { return c.key == m.key; };
    SavedCompiled saved = saved_form(engine, m);
    if (saved.bytes == 0) continue;
    std::erase_if(all, is_it);  // it may have been damaged
    all.push_back(std::move(saved));
  }
  return all;
}

BlockRun& EngineRuns::of(const Node& block, const std::shared_ptr<const CompiledFor>& compiled) {
  std::list<Run>& runs = runs_[block.regions.at(0).get()];
  const auto is_it = [&](const Run& r) { return r.block == compiled->block; };
  const auto found = std::find_if(runs.begin(), runs.end(), is_it);
  if (found != runs.end()) {
    runs.splice(runs.begin(), runs, found);
  } else {
    std::erase_if(runs, [](const Run& r) { return r.held->dropped.load(); });
    if (runs.size() >= EngineBlocks::kMaxCompiled) runs.pop_back();
    runs.push_front({compiled->block, compiled->held, compiled->block->make_run()});
  }
  return *runs.front().run;
}

void EngineRuns::drop(const CompiledFor& compiled) {
  for (auto& [region, runs] : runs_) {
    std::erase_if(runs, [&](const Run& r) { return r.block == compiled.block; });
  }
}

}  // namespace coracle::internal
