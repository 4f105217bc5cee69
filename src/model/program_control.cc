// SPDX-License-Identifier: Apache-2.0
#include "model/program_control.h"

#include <algorithm>
#include <array>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "model/program_lowering.h"
#include "ops/control/while.h"

namespace coracle::internal {

using programdesc::Operator;

namespace {

constexpr std::array<std::string_view, 7> kControlTypes = {
    "feed", "fetch", "fetch_v2", "while", "conditional_block", "conditional_block_infer", "recurrent"};

size_t sub_block_of(const Operator& op) {
  require(op.sub_block.has_value(), "it has no sub-block");
  return static_cast<size_t>(*op.sub_block);
}

void check_region_depth(int depth) {
  require(depth <= kMaxRegionDepth, ErrorCode::kUnsupported, "loops and branches are nested deeper than ",
          counted(kMaxRegionDepth, "level"));
}

}  // namespace

bool is_fetch(std::string_view type) { return type == "fetch" || type == "fetch_v2"; }

bool is_handled_by_reader(std::string_view type) {
  return std::find(kControlTypes.begin(), kControlTypes.end(), type) != kControlTypes.end();
}

void ProgramImporter::import_block(ProgramScope& scope, int depth) {
  check_region_depth(depth);
  const std::vector<Operator>& operators = blocks_.block(scope.block()).operators;
  Selections selections;
  for (size_t i = 0; i < operators.size(); ++i) {
    try {
      import_operator(scope, i, depth, selections);
    } catch (Error& e) {
      e.add_context(text("importing operator ", i, " ", in_quotes(operators[i].type), " of block ", scope.block(),
                         " of ", in_quotes(blocks_.program().file.name)));
      throw;
    }
  }
}

void ProgramImporter::import_operator(ProgramScope& scope, size_t position, int depth, Selections& selections) {
  const Operator& op = blocks_.block(scope.block()).operators[position];
  if (op.type == "feed") return;
  if (is_fetch(op.type)) return import_fetch(scope, op);
  const ScopeOfNewNodes name_scope(scope.graph(), op.scope);
  std::string name =
      scope.block() == 0 ? text(op.type, "_", position) : text(op.type, "_", scope.block(), "_", position);
  if (op.type == "recurrent") return import_recurrent(scope, op, std::move(name), depth);
  if (op.type == "while") return import_while(scope, op, std::move(name), depth);
  if (op.type == "conditional_block" || op.type == "conditional_block_infer") {
    return import_conditional(scope, op, std::move(name), depth);
  }
  if (op.type == "select_input" && import_selection(scope, op, position, selections)) return;
  ProgramLowering(blocks_, scope, op, std::move(name)).lower();
}

void ProgramImporter::import_fetch(ProgramScope& scope, const Operator& op) {
  if (scope.outer() != nullptr) return;
  const std::string_view name = single_variable(op.inputs, "X");
  const ValueId value = scope.find(name);
  require(value != kNoValue, "the variable ", in_quotes(name), " is fetched, but nothing writes it");
  const int64_t col = op.attributes.get<int64_t>("col", static_cast<int64_t>(fetches_.size()));
  fetches_.push_back({col, std::string(name), value});
}

std::vector<std::pair<std::string, ValueId>> ProgramImporter::outputs() const {
  std::vector<Fetch> sorted = fetches_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fetch& a, const Fetch& b) { return a.col < b.col; });
  std::vector<std::pair<std::string, ValueId>> outputs;
  for (const Fetch& f : sorted) outputs.emplace_back(f.name, f.value);
  return outputs;
}

/// Outer variables that the block writes are carried from iteration to iteration; those it only reads are captured.
void ProgramImporter::import_while(ProgramScope& scope, const Operator& op, std::string name, int depth) {
  const size_t sub = sub_block_of(op);
  const std::string_view condition_name = single_variable(op.inputs, "Condition");
  const ValueId condition = scope.find(condition_name);
  require(condition != kNoValue, "the condition ", in_quotes(condition_name), " is read before it is written");

  std::vector<std::string_view> names = blocks_.outer_writes(sub);
  require(std::erase(names, condition_name) > 0, "the loop never changes its condition ", in_quotes(condition_name));
  std::vector<ValueId> initial;
  for (std::string_view n : names) {
    const ValueId value = scope.find(n);
    const Fact declared = declared_fact(blocks_.find(scope.block(), n));
    initial.push_back(value == kNoValue ? add_undefined(scope.graph(), declared) : value);
  }

  std::vector<ValueId> captured;
  const auto import = [&](std::span<const Fact> types) {
    auto region = std::make_shared<Graph>();
    ProgramScope inner(*region, sub, &scope);
    inner.bind(condition_name, region->add_input(std::string(condition_name), types[0]));
    for (size_t i = 0; i < names.size(); ++i) {
      inner.bind(names[i], region->add_input(std::string(names[i]), types[i + 1]));
    }
    import_block(inner, depth + 1);
    region->add_output(inner.find(condition_name), std::string(condition_name));
    for (std::string_view n : names) region->add_output(inner.find(n), std::string(n));
    captured = inner.captured();
    return region;
  };
  // What an earlier import within an outer loop found holds again: types there have only become wider.
  std::vector<Fact>& types = loop_types_[&op];
  const bool again = !types.empty();
  types.resize(names.size() + 1);
  for (size_t i = 0; i < types.size(); ++i) {
    const Fact& before = scope.graph().fact(i == 0 ? condition : initial[i - 1]);
    types[i] = joined(before, again ? types[i] : before);
  }
  const std::shared_ptr<Graph> region = import_loop(types, import);

  const PortCounts results{static_cast<int>(names.size())};
  const NodeId loop =
      scope.graph().add_node(While{}, {{condition}, initial, captured}, results, std::move(name), {region});
  widen_region(scope.graph(), loop);
  for (size_t i = 0; i < names.size(); ++i) scope.bind(names[i], scope.graph().node(loop).outputs[i]);
  const bool done = false;
  scope.bind(condition_name, scope.graph().add_constant(Tensor::of<bool>(Shape{1}, {&done, 1})));
}

/// The block becomes a region right away, so that it sees the variables as they are now; the `if` follows when its
/// results are used. Exporters write a branch as two blocks, for the condition and its negation, and select_input: a
/// pair becomes one `if`.
void ProgramImporter::import_conditional(ProgramScope& scope, const Operator& op, std::string name, int depth) {
  require(op.attributes.get<bool>("is_scalar_condition"), ErrorCode::kUnsupported,
          "a condition that is not a scalar is not supported");
  const size_t sub = sub_block_of(op);
  const std::string_view condition_name = single_variable(op.inputs, "Cond");
  auto c = std::make_shared<Conditional>();
  c->node_name = std::move(name);
  c->name_scope = op.scope;
  c->condition = scope.find(condition_name);
  require(c->condition != kNoValue, "the condition ", in_quotes(condition_name), " is read before it is written");

  c->region = import_branch(branch_retries_, [&](bool blind) {
    ClosedRegion region{.graph = std::make_shared<Graph>(), .captured = {}};
    ProgramScope inner(*region.graph, sub, &scope);
    if (blind) inner.know_nothing();
    c->names.clear();
    import_block(inner, depth + 1);
    for (std::string_view n : blocks_.outer_writes(sub)) {
      const ValueId result = inner.find(n);
      if (result == kNoValue) continue;
      region.graph->add_output(result, std::string(n));
      c->names.push_back(n);
    }
    region.captured = inner.captured();
    return region;
  });
  for (std::string_view n : c->names) c->previous.push_back(scope.find(n));
  for (std::string_view n : c->names) {
    scope.bind_later(n, c.get(), [this, &scope, conditional = c.get()] { make_if(scope, *conditional); });
  }
  conditionals_.push_back(std::move(c));
}

/// Where the condition does not hold, each variable keeps what it had before.
void ProgramImporter::make_if(ProgramScope& scope, const Conditional& c) {
  Graph& graph = scope.graph();
  const ScopeOfNewNodes name_scope(graph, c.name_scope);
  std::vector<RegionOutputs> results;
  for (size_t i = 0; i < c.names.size(); ++i) {
    ValueId before = c.previous[i];
    if (before == kNoValue) before = add_undefined(graph, c.region.graph->fact(c.region.graph->outputs()[i]));
    results.push_back({.yes = {i}, .no = {.outer = before}});
  }
  const ClosedRegion no{.graph = std::make_shared<Graph>(), .captured = {}};
  const NodeId node = add_if(graph, c.node_name, c.condition, c.region, no, results);
  for (size_t i = 0; i < c.names.size(); ++i) {
    if (scope.pending_owner(c.names[i]) == &c) scope.bind(c.names[i], graph.node(node).outputs[i]);
  }
}

/// select_input of what two opposite conditional blocks gave, or of what one of them gave and another value: one `if`.
/// False if it is something else.
bool ProgramImporter::import_selection(ProgramScope& scope, const Operator& op, size_t position,
                                       Selections& selections) {
  if (!selections.contains(&op) && !pair_up(scope, position, selections)) return false;
  scope.bind(single_variable(op.outputs, "Out"), selections.at(&op));
  return true;
}

/// The conditional blocks that select_inputs of one mask choose from, as far as they wait for their `if`.
struct ProgramImporter::Pair {
  const Conditional* yes = nullptr;
  const Conditional* no = nullptr;

  /// Adds what waits behind the operands of a select_input. False if it does not fit.
  bool add(const Graph& graph, ValueId mask, const Conditional* no_of_it, const Conditional* yes_of_it) {
    const ValueId condition = without_casts(graph, mask);
    if (yes_of_it != nullptr) {
      if (yes != nullptr && yes != yes_of_it) return false;
      if (without_casts(graph, yes_of_it->condition) != condition) return false;
    }
    if (no_of_it != nullptr) {
      if (no != nullptr && no != no_of_it) return false;
      if (!is_negation(graph, condition, no_of_it->condition)) return false;
    }
    if (yes_of_it != nullptr) yes = yes_of_it;
    if (no_of_it != nullptr) no = no_of_it;
    return true;
  }
};

/// One `if` for this and the following select_inputs of the same mask and the same two blocks. Other values than
/// results of the blocks can be taken only directly behind each other: nothing has written them in between.
bool ProgramImporter::pair_up(ProgramScope& scope, size_t position, Selections& selections) {
  const std::vector<Operator>& operators = blocks_.block(scope.block()).operators;
  const std::string_view mask_name = single_variable(operators[position].inputs, "Mask");
  const ValueId mask = scope.find(mask_name);
  if (mask == kNoValue) return false;
  const auto waiting = [&](std::string_view name) {
    return static_cast<const Conditional*>(scope.pending_owner(name));
  };
  Pair pair;
  std::vector<const Operator*> chosen;
  bool adjoining = true;
  for (size_t i = position; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    const bool selects = op.type == "select_input" && single_variable(op.inputs, "Mask") == mask_name;
    const std::span<const std::string_view> x = variables_at(op.inputs, "X");
    const bool both = selects && x.size() == 2 && waiting(x[0]) != nullptr && waiting(x[1]) != nullptr;
    const bool one = selects && x.size() == 2 && (waiting(x[0]) != nullptr || waiting(x[1]) != nullptr);
    const bool taken = (both || (one && adjoining)) && !op.outputs.empty() &&
                       pair.add(scope.graph(), mask, waiting(x[0]), waiting(x[1]));
    if (taken) chosen.push_back(&op);
    if (!taken && i == position) return false;
    if (op.type != "select_input") adjoining = false;
  }
  const auto source = [&](const Conditional* owner, std::string_view name) -> RegionOutputs::Source {
    if (waiting(name) == nullptr) return {.outer = scope.find(name)};
    return {static_cast<size_t>(std::find(owner->names.begin(), owner->names.end(), name) - owner->names.begin())};
  };
  std::vector<RegionOutputs> results;
  for (const Operator* op : chosen) {
    const std::span<const std::string_view> x = variables_at(op->inputs, "X");
    for (std::string_view name : x) {
      require(waiting(name) != nullptr || scope.find(name) != kNoValue, "the variable ", in_quotes(name),
              " at input X is read before it is written");
    }
    results.push_back({.yes = source(pair.yes, x[1]), .no = source(pair.no, x[0])});
  }
  const ClosedRegion nothing{.graph = std::make_shared<Graph>(), .captured = {}};
  const Conditional& named = pair.yes != nullptr ? *pair.yes : *pair.no;
  const ScopeOfNewNodes name_scope(scope.graph(), named.name_scope);
  const NodeId node =
      add_if(scope.graph(), named.node_name, without_casts(scope.graph(), mask),
             pair.yes != nullptr ? pair.yes->region : nothing, pair.no != nullptr ? pair.no->region : nothing, results);
  for (size_t i = 0; i < chosen.size(); ++i) selections[chosen[i]] = scope.graph().node(node).outputs[i];
  return true;
}

}  // namespace coracle::internal
