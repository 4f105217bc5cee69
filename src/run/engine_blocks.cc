// SPDX-License-Identifier: Apache-2.0
#include "run/engine_blocks.h"

#include <algorithm>

#include "base/log.h"
#include "base/printable.h"
#include "ops/control/engine_block.h"
#include "run/engine_key.h"
#include "run/fact_key.h"

namespace coracle {
namespace {

/// By operand: whether an operand that decides a shape follows from it.
std::vector<bool> find_deciding(const Graph& graph) {
  std::vector<bool> decides(graph.value_count(), false);  // by value
  const std::vector<NodeId>& order = graph.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node& node = graph.node(*id);
    const std::span<const Port> ports = node.op.row().inputs;
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

std::string describe(std::span<const Fact> operands) {
  std::string all;
  for (const Fact& f : operands) all.append(text(all.empty() ? "" : ", ", f));
  return all;
}

}  // namespace

EngineBlocks::State::State(const Node& block) : decides_sizes(find_deciding(*block.regions.at(0))) {}

EngineBlocks::State& EngineBlocks::state_of(const Node& block) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<State>& state = states_[block.regions.at(0).get()];
  if (state == nullptr) {
    state = std::make_unique<State>(block);
    state->engine = &engine_of(block);
  }
  return *state;
}

const UsedEngine& EngineBlocks::engine_of(const Node& block) {
  const auto* op = block.op.as<EngineBlock>();
  require(op != nullptr, ErrorCode::kInvalidArgument, "node ", block.name, " is no block of an engine");
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
  log(LogLevel::kWarning, "the block ", block.name, " of ", block.regions[0]->order().size(),
      " nodes runs natively, not on ", state.engine->name, ": ", printable(reason));
}

FileCache EngineBlocks::default_cache() {
  constexpr size_t kMostBytes = size_t{1} << 30U;
  return {FileCache::default_folder("CORACLE_ENGINE_CACHE", "engines"), kMostBytes};
}

/// What is in the cache and cannot be used is made anew: so is all of it where there is none.
std::shared_ptr<const CompiledBlock> EngineBlocks::compile_or_load(const UsedEngine& used,
                                                                   const BlockToCompile& block) const {
  if (!used.engine->saves_blocks() || !cache_.on()) return used.engine->compile(block);
  const std::string key = engine_key(*used.engine, block);
  if (const std::optional<std::vector<uint8_t>> saved = cache_.find(key)) {
    try {
      return used.engine->load(block, *saved);
    } catch (const std::exception& e) {
      log(LogLevel::kInfo, "a block for ", used.name,
          " is compiled anew, the one kept on disk is of no use: ", printable(e.what()));
    }
  }
  std::shared_ptr<const CompiledBlock> compiled = used.engine->compile(block);
  try {
    cache_.keep(key, compiled->save());
  } catch (const std::exception& e) {
    log(LogLevel::kInfo, "a block of ", used.name, " is not kept on disk: ", printable(e.what()));
  }
  return compiled;
}

std::shared_ptr<const CompiledFor> EngineBlocks::compile(State& state, const Node& block,
                                                         std::span<const Fact> operands, int threads, std::string key) {
  const Graph& graph = *block.regions[0];
  auto compiled = std::make_shared<CompiledFor>();
  compiled->key = std::move(key);
  const std::vector<Fact> facts = infer_graph(graph, operands);
  for (ValueId v : graph.outputs()) compiled->results.push_back(facts[index(v)]);
  const auto unknown = [](const Fact& f) { return !f.known() || f.is_array; };
  const auto empty = [](const Fact& f) { return f.known() && f.shape.count() == 0; };
  if (state.engine->engine == nullptr) return compiled;  // which was told when it was looked for
  if (std::any_of(facts.begin(), facts.end(), unknown) || std::any_of(facts.begin(), facts.end(), empty)) {
    tell(state, block, text("some of its sizes are zero, or follow from data, with ", describe(operands)));
    return compiled;
  }
  std::string reason;
  try {
    compiled->block = compile_or_load(
        *state.engine, {.graph = graph, .facts = facts, .threads = threads, .options = state.engine->options});
  } catch (const Error& e) {
    reason = e.text();
  } catch (const std::exception& e) {
    reason = e.what();
  }
  if (!reason.empty()) tell(state, block, text("it does not compile for ", describe(operands), ": ", reason));
  return compiled;
}

std::shared_ptr<const CompiledFor> EngineBlocks::find(const Node& block, std::span<const Fact> operands, int threads) {
  State& state = state_of(block);
  std::string key;
  append_raw(key, threads);
  for (const Fact& f : operands) append_fact(key, f);
  const std::lock_guard lock(state.mutex);
  auto& all = state.compiled;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c->key == key; });
  if (found != all.end()) {
    all.splice(all.begin(), all, found);
  } else {
    all.push_front(compile(state, block, operands, threads, std::move(key)));
    if (all.size() > kMaxCompiled) all.pop_back();
  }
  return all.front()->block == nullptr ? nullptr : all.front();
}

void EngineBlocks::give_up(const Node& block, const CompiledFor& failed, std::string_view reason) {
  State& state = state_of(block);
  const std::lock_guard lock(state.mutex);
  for (std::shared_ptr<const CompiledFor>& c : state.compiled) {
    if (c.get() != &failed) continue;
    auto native = std::make_shared<CompiledFor>(failed);
    native->block = nullptr;
    c = std::move(native);
    break;
  }
  tell(state, block, text("it failed in a run: ", reason));
}

BlockRun& EngineRuns::of(const Node& block, const std::shared_ptr<const CompiledFor>& compiled) {
  std::list<Run>& runs = runs_[block.regions.at(0).get()];
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& r) { return r.compiled == compiled; });
  if (found != runs.end()) {
    runs.splice(runs.begin(), runs, found);
  } else {
    if (runs.size() >= EngineBlocks::kMaxCompiled) runs.pop_back();
    runs.push_front({compiled, compiled->block->make_run()});
  }
  return *runs.front().run;
}

void EngineRuns::drop(const CompiledFor& compiled) {
  for (auto& [region, runs] : runs_) {
    std::erase_if(runs, [&](const Run& r) { return r.compiled.get() == &compiled; });
  }
}

}  // namespace coracle
