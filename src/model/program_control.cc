// SPDX-License-Identifier: Apache-2.0
#include "model/program_control.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "model/program_lowering.h"
#include "ops/while.h"

namespace coracle {

using programdesc::Operator;

namespace {

constexpr std::array<std::string_view, 6> kHandled = {
    "feed", "fetch", "while", "conditional_block", "conditional_block_infer", "recurrent"};

size_t sub_block_of(const Operator& op) {
  require(op.sub_block.has_value(), "it has no sub-block");
  return static_cast<size_t>(*op.sub_block);
}

void check_depth(int depth) {
  require(depth <= kMaxRegionDepth, ErrorCode::kUnsupported, "loops and branches are nested deeper than ",
          kMaxRegionDepth, " levels");
}

}  // namespace

bool is_handled_by_reader(std::string_view type) {
  return std::find(kHandled.begin(), kHandled.end(), type) != kHandled.end();
}

void ProgramImporter::import_block(ProgramScope& scope, int depth) {
  check_depth(depth);
  const std::vector<Operator>& operators = blocks_.block(scope.block()).operators;
  for (size_t i = 0; i < operators.size(); ++i) {
    try {
      import_operator(scope, operators[i], i, depth);
    } catch (Error& e) {
      e.add_context(text("importing operator ", i, " ", in_quotes(operators[i].type), " of block ", scope.block(),
                         " of ", in_quotes(blocks_.program().file.name)));
      throw;
    }
  }
}

void ProgramImporter::import_operator(ProgramScope& scope, const Operator& op, size_t position, int depth) {
  if (op.type == "feed") return;
  if (op.type == "fetch") return import_fetch(scope, op);
  std::string name =
      scope.block() == 0 ? text(op.type, "_", position) : text(op.type, "_", scope.block(), "_", position);
  if (op.type == "recurrent") return import_recurrent(scope, op, std::move(name), depth);
  if (op.type == "while") return import_while(scope, op, std::move(name), depth);
  if (op.type == "conditional_block" || op.type == "conditional_block_infer") {
    return import_conditional(scope, op, std::move(name), depth);
  }
  if (op.type == "select_input" && import_selection(scope, op, position)) return;
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
  require(condition != kNoValue, "the condition ", in_quotes(condition_name), " is read before anything writes it");

  std::vector<std::string_view> names = blocks_.outer_writes(sub);
  require(std::erase(names, condition_name) > 0, "the loop never changes its condition ", in_quotes(condition_name));
  std::vector<ValueId> initial;
  for (std::string_view n : names) {
    const ValueId value = scope.find(n);
    const Fact declared = declared_fact(blocks_.find(scope.block(), n));
    initial.push_back(value == kNoValue ? add_undefined(scope.graph(), declared) : value);
  }

  auto region = std::make_shared<Graph>();
  ProgramScope inner(*region, sub, &scope);
  const auto add_input = [&](std::string_view n, ValueId outer) {
    Fact fact = scope.graph().fact(outer);
    fact.value = nullptr;
    inner.bind(n, region->add_input(std::string(n), std::move(fact)));
  };
  add_input(condition_name, condition);
  for (size_t i = 0; i < names.size(); ++i) add_input(names[i], initial[i]);
  import_block(inner, depth + 1);

  region->add_output(inner.find(condition_name), std::string(condition_name));
  for (size_t i = 0; i < names.size(); ++i) {
    const ValueId next = inner.find(names[i]);
    const Fact& before = scope.graph().fact(initial[i]);
    const Fact& after = region->fact(next);
    require(before.dtype == after.dtype && before.is_array == after.is_array, ErrorCode::kUnsupported, "the variable ",
            in_quotes(names[i]), " is ", before, " before the loop and ", after, " after one iteration");
    region->add_output(next, std::string(names[i]));
  }
  const PortCounts results{static_cast<int>(names.size())};
  const NodeId loop =
      scope.graph().add_node(While{}, {{condition}, initial, inner.captured()}, results, std::move(name), {region});
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
  c->condition = scope.find(condition_name);
  require(c->condition != kNoValue, "the condition ", in_quotes(condition_name), " is read before anything writes it");

  c->region.graph = std::make_shared<Graph>();
  ProgramScope inner(*c->region.graph, sub, &scope);
  import_block(inner, depth + 1);
  for (std::string_view n : blocks_.outer_writes(sub)) {
    const ValueId result = inner.find(n);
    if (result == kNoValue) continue;
    c->region.graph->add_output(result, std::string(n));
    c->names.push_back(n);
  }
  c->region.captured = inner.captured();
  for (std::string_view n : c->names) c->previous.push_back(scope.find(n));
  for (std::string_view n : c->names) {
    scope.bind_later(n, c.get(), [this, &scope, conditional = c.get()] { make_if(scope, *conditional); });
  }
  conditionals_.push_back(std::move(c));
}

/// Where the condition does not hold, each variable keeps what it had before.
void ProgramImporter::make_if(ProgramScope& scope, const Conditional& c) {
  Graph& graph = scope.graph();
  std::vector<RegionOutputs> results;
  ClosedRegion no{.graph = std::make_shared<Graph>(), .captured = {}};
  for (size_t i = 0; i < c.names.size(); ++i) {
    const ValueId previous = c.previous[i];
    ValueId value = kNoValue;
    if (previous == kNoValue) {
      value = add_undefined(*no.graph, c.region.graph->fact(c.region.graph->outputs()[i]));
    } else if (graph.value(previous).is_constant()) {
      value = no.graph->add_constant(*graph.fact(previous).value);
    } else {
      Fact fact = graph.fact(previous);
      fact.value = nullptr;
      value = no.graph->add_input(std::string(c.names[i]), std::move(fact));
      no.captured.push_back(previous);
    }
    no.graph->add_output(value, std::string(c.names[i]));
    results.push_back({.yes = i, .no = i});
  }
  const NodeId node = add_if(graph, c.node_name, c.condition, c.region, no, results);
  for (size_t i = 0; i < c.names.size(); ++i) {
    if (scope.pending_owner(c.names[i]) == &c) scope.bind(c.names[i], graph.node(node).outputs[i]);
  }
}

/// select_input of what two opposite conditional blocks gave: one `if` of both. False if it is something else.
bool ProgramImporter::import_selection(ProgramScope& scope, const Operator& op, size_t position) {
  const std::span<const std::string_view> x = variables_at(op.inputs, "X");
  if (x.size() != 2 || op.outputs.empty()) return false;
  const auto* no = static_cast<const Conditional*>(scope.pending_owner(x[0]));
  const auto* yes = static_cast<const Conditional*>(scope.pending_owner(x[1]));
  if (no == nullptr || yes == nullptr) return false;
  if (!paired_.contains(&op)) {
    const Graph& graph = scope.graph();
    const ValueId condition = without_casts(graph, yes->condition);
    const ValueId mask = scope.find(single_variable(op.inputs, "Mask"));
    if (mask == kNoValue || without_casts(graph, mask) != condition) return false;
    if (!is_negation(graph, condition, no->condition)) return false;
    pair_up(scope, *yes, *no, position);
  }
  scope.bind(single_variable(op.outputs, "Out"), paired_.at(&op));
  return true;
}

/// One `if` for this and all following select_inputs of the same two blocks.
void ProgramImporter::pair_up(ProgramScope& scope, const Conditional& yes, const Conditional& no, size_t position) {
  const std::vector<Operator>& operators = blocks_.block(scope.block()).operators;
  const std::string_view mask = single_variable(operators[position].inputs, "Mask");
  const auto output_of = [](const Conditional& c, std::string_view name) {
    return static_cast<size_t>(std::find(c.names.begin(), c.names.end(), name) - c.names.begin());
  };
  std::vector<const Operator*> selections;
  std::vector<RegionOutputs> results;
  for (size_t i = position; i < operators.size(); ++i) {
    const Operator& op = operators[i];
    if (op.type != "select_input" || single_variable(op.inputs, "Mask") != mask) continue;
    const std::span<const std::string_view> x = variables_at(op.inputs, "X");
    if (x.size() != 2 || scope.pending_owner(x[0]) != &no || scope.pending_owner(x[1]) != &yes) continue;
    selections.push_back(&op);
    results.push_back({.yes = output_of(yes, x[1]), .no = output_of(no, x[0])});
  }
  const NodeId node = add_if(scope.graph(), yes.node_name, yes.condition, yes.region, no.region, results);
  for (size_t i = 0; i < selections.size(); ++i) paired_[selections[i]] = scope.graph().node(node).outputs[i];
}

}  // namespace coracle
