// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"
#include "base/printable.h"
#include "model/program_control.h"
#include "model/program_lowering.h"
#include "ops/control/array_to_tensor.h"
#include "ops/control/array_write.h"
#include "ops/control/create_array.h"
#include "ops/control/while.h"
#include "ops/elementwise/add.h"
#include "ops/elementwise/subtract.h"
#include "ops/index/gather.h"
#include "ops/logic/less_than.h"
#include "ops/movement/slice.h"
#include "ops/shape/shape64.h"
#include "ops/shape/squeeze.h"

/// `recurrent`, the operator of StaticRNN: its block once for each step of its sequences [steps, ...]. It becomes a
/// loop that carries the states and a tensor array for each output.
namespace coracle::internal {

using programdesc::Operator;

namespace {

ValueId integer(Graph& graph, int64_t n) { return graph.add_constant(Tensor::ints(Ints{n})); }

/// x[position], without the dimension of the steps.
ValueId step_of(Graph& graph, ValueId x, ValueId position) {
  const ValueId one = graph.add(Gather{}, {{x}, {position}, {integer(graph, 0)}});
  return graph.add(Squeeze{}, {{one}, {integer(graph, 0)}});
}

/// The size of dimension 0, int64 [1].
ValueId rows_of(Graph& graph, ValueId x) {
  Slice first;
  first.axes = {0};
  return graph.add(first, {{graph.add(Shape64{}, {{x}})}, {integer(graph, 0)}, {integer(graph, 1)}});
}

}  // namespace

/// Inside the block an input stands for its step and an output for what the step gives, under their own names;
/// `ex_states` are the states before the step, `states` those after it.
void ProgramImporter::import_recurrent(ProgramScope& scope, const Operator& op, std::string name, int depth) {
  require(op.sub_block.has_value(), "it has no sub-block");
  const auto sub = static_cast<size_t>(*op.sub_block);
  const std::span<const std::string_view> inputs = variables_at(op.inputs, "inputs");
  const std::span<const std::string_view> initial_states = variables_at(op.inputs, "initial_states");
  const std::span<const std::string_view> outputs = variables_at(op.outputs, "outputs");
  const auto before = op.attributes.get<Strings>("ex_states");
  const auto after = op.attributes.get<Strings>("states");
  require(!inputs.empty(), ErrorCode::kUnsupported, "it has no sequence, so the number of steps is not known");
  require(before.size() == initial_states.size() && after.size() == before.size(), "it has ", initial_states.size(),
          " initial states, ", before.size(), " ex_states and ", counted(after.size(), "state"));
  const auto value_of = [&](ProgramScope& from, std::string_view variable) {
    const ValueId value = from.find(variable);
    require(value != kNoValue, "the variable ", in_quotes(variable), " is read before it is written");
    return value;
  };

  Graph& graph = scope.graph();
  std::vector<ValueId> sequences;
  for (std::string_view n : inputs) sequences.push_back(value_of(scope, n));
  const ValueId steps = rows_of(graph, sequences[0]);
  const ValueId zero = integer(graph, 0);
  const ValueId condition = graph.add(LessThan{}, {{zero}, {steps}});
  std::vector<ValueId> carried{zero};
  for (std::string_view n : initial_states) carried.push_back(value_of(scope, n));
  for (std::string_view n : outputs) {
    CreateArray array;
    array.dtype = declared_fact(blocks_.find(sub, n)).dtype;
    carried.push_back(graph.add(array, {}));
  }

  auto region = std::make_shared<Graph>();
  const ScopeOfNewNodes name_scope(*region, op.scope);
  ProgramScope inner(*region, sub, &scope);
  const auto add_input = [&](std::string_view label, ValueId outer) {
    Fact fact = graph.fact(outer);
    fact.value = nullptr;
    return region->add_input(label, std::move(fact));
  };
  add_input("more", condition);
  std::vector<ValueId> state;
  for (size_t i = 0; i < carried.size(); ++i) state.push_back(add_input(text("carried_", i), carried[i]));
  const ValueId count = inner.capture(steps);
  ValueId position = state[0];
  if (op.attributes.get<bool>("reverse")) {
    const ValueId last = region->add(Subtract{}, {{count}, {integer(*region, 1)}});
    position = region->add(Subtract{}, {{last}, {position}});
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    inner.bind(inputs[i], step_of(*region, inner.capture(sequences[i]), position));
  }
  for (size_t i = 0; i < before.size(); ++i) inner.bind(before[i], state[1 + i]);
  import_block(inner, depth + 1);

  const ValueId next = region->add(Add{}, {{state[0]}, {integer(*region, 1)}});
  region->add_output(region->add(LessThan{}, {{next}, {count}}), "more");
  region->add_output(next, "step");
  for (const std::string& n : after) region->add_output(value_of(inner, n), n);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueId array = state[1 + before.size() + i];
    const ValueId written = region->add(ArrayWrite{}, {{array}, {value_of(inner, outputs[i])}, {position}});
    region->add_output(written, std::string(outputs[i]));
  }
  const PortCounts results{static_cast<int>(carried.size())};
  const NodeId loop =
      graph.add_node(While{}, {{condition}, carried, inner.captured()}, results, std::move(name), {region});
  widen_region(graph, loop);
  ArrayToTensor stacked;
  stacked.use_stack = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueId array = graph.node(loop).outputs[1 + before.size() + i];
    scope.bind(outputs[i], graph.add(stacked, {{array}}));
  }
}

}  // namespace coracle::internal
