// SPDX-License-Identifier: Apache-2.0
#include "model/pir_lowering.h"

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "model/attribute_check.h"
#include "model/programdesc.h"

namespace coracle::internal {
namespace {

/// Computed when the program runs, within its memory limit: their size is a number in the file.
ValueId add_zeros(Graph& graph, const Fact& type) {
  AttributeMap attributes;
  attributes.set("shape", Ints(type.shape.begin(), type.shape.end()));
  attributes.set("dtype", type.dtype);
  return graph.add(make_op("full", attributes), {});
}

}  // namespace

PirValue PirScope::find(int64_t id) {
  if (id == 0) return {};
  if (const auto it = values_.find(id); it != values_.end()) return it->second;
  if (const auto it = parameters_.find(id); it != parameters_.end()) {
    Parameter parameter = std::move(it->second);
    parameters_.erase(it);
    bind(id, parameter.tensor.empty_handle()
                 ? add_zeros(graph_, parameter.zeros)
                 : graph_.add_constant(std::move(parameter.tensor), std::string(parameter.name)));
    return values_.at(id);
  }
  require(outer_ != nullptr, "value ", id, " is used before it is defined");
  PirValue value = outer_->find(id);
  for (ValueId& v : value.values) {
    if (v != kNoValue) v = capture(v);
  }
  bind(id, value);
  return value;
}

std::span<const ValueId> PirScope::bound(int64_t id) const {
  const auto it = values_.find(id);
  return it == values_.end() ? std::span<const ValueId>() : std::span<const ValueId>(it->second.values);
}

void PirScope::bind(int64_t id, PirValue value) {
  if (id != 0) values_.insert_or_assign(id, std::move(value));
}

void PirScope::bind_parameter(int64_t id, std::string_view name, Tensor tensor) {
  parameters_.insert_or_assign(id, Parameter{name, std::move(tensor), {}});
}

void PirScope::bind_zeros(int64_t id, std::string_view name, Fact type) {
  parameters_.insert_or_assign(id, Parameter{name, {}, std::move(type)});
}

ValueId PirScope::capture(ValueId outer) {
  const auto [it, is_new] = inner_of_.try_emplace(static_cast<int32_t>(outer), kNoValue);
  if (!is_new) return it->second;
  const Value value = outer_->graph().value(outer);
  if (value.is_constant()) return it->second = graph_.add_constant(*value.fact.value, value.name);
  Fact fact = blind_ ? joined(value.fact, Fact::unknown()) : value.fact;
  fact.value = nullptr;  // what is known of the value comes with the facts of the operator's operands
  captured_.push_back(outer);
  return it->second = graph_.add_input(value.name, std::move(fact));
}

Fact declared_fact(const pir::Type& type) {
  Fact fact(type.dtype.value_or(DType::kFloat32), programdesc::shape_of(type.dims));
  fact.is_array = type.kind == pir::Type::Kind::kArray;
  if (fact.is_array) fact.shape = Shape::unknown_rank();
  return fact;
}

void PirLowering::lower() {
  row_ = operators_.find(op_.name);
  require(row_ != nullptr, ErrorCode::kUnsupported, "there is no operator ", in_quotes(op_.name));
  const AttributeReads reads(op_.attributes);
  if (row_->lower != nullptr) {
    lower_by_rule(*row_);
    check_attributes(op_.name, /*is_pir=*/true, *row_, reads);
    return;
  }
  // Forms that also take the value they overwrite (assign_value_) may have operands where the operator has none.
  const bool open = !row_->inputs.empty() && row_->inputs.back().kind == Port::Kind::kList;
  require(row_->inputs.empty() || open || op_.operands.size() <= row_->inputs.size(), "it has ",
          counted(op_.operands.size(), "operand"), ", expected at most ", row_->inputs.size());
  lower_by_ports(*row_);
  if (row_->of_user) return;
  check_attributes(op_.name, /*is_pir=*/true, *row_, reads);
}

std::vector<ValueId> PirLowering::inputs(std::string_view slot) const {
  for (size_t p = 0; p < row_->inputs.size() && p < op_.operands.size(); ++p) {
    const Port& port = row_->inputs[p];
    if (slot != port.slot && slot != port.name && (slot != port.list_slot || slot.empty())) continue;
    return scope_.find(op_.operands[p]).values;
  }
  return {};
}

const pir::Definition* PirLowering::result(std::string_view slot) const {
  for (size_t p = 0; p < row_->outputs.size() && p < op_.results.size(); ++p) {
    if (slot == row_->outputs[p].slot || slot == row_->outputs[p].name) return &op_.results[p];
  }
  // Operators that exist as a rewriting only declare no ports.
  return row_->outputs.empty() && !op_.results.empty() ? &op_.results.front() : nullptr;
}

int PirLowering::output_count(std::string_view slot) const {
  const pir::Definition* definition = result(slot);
  if (definition == nullptr || definition->id == 0) return 0;
  return definition->type.kind == pir::Type::Kind::kList ? static_cast<int>(definition->type.elements.size()) : 1;
}

Fact PirLowering::declared_output(std::string_view slot, int i) const {
  const pir::Definition* definition = result(slot);
  if (definition == nullptr) return {};
  const pir::Type& type = definition->type;
  if (type.kind != pir::Type::Kind::kList) return declared_fact(type);
  if (i < 0 || static_cast<size_t>(i) >= type.elements.size()) return {};
  return declared_fact(type.elements[static_cast<size_t>(i)]);
}

void PirLowering::bind(std::string_view slot, ValueId value, int i) {
  const pir::Definition* definition = result(slot);
  if (definition == nullptr) return;
  check_result(slot, value);
  bind_result(*definition, value, i);
}

void PirLowering::bind_result(const pir::Definition& definition, ValueId value, int i) {
  if (definition.type.kind != pir::Type::Kind::kList) {
    scope_.bind(definition.id, value);
    return;
  }
  PirValue list{.values = {}, .is_list = true};
  if (i > 0) list = scope_.find(definition.id);
  list.values.resize(std::max(list.values.size(), static_cast<size_t>(i) + 1), kNoValue);
  list.values[static_cast<size_t>(i)] = value;
  scope_.bind(definition.id, std::move(list));
}

std::vector<ValueId> PirLowering::port_values(const OpSchema& schema, size_t port) {
  if (port >= op_.operands.size()) return {};
  PirValue value = scope_.find(op_.operands[port]);
  if (schema.inputs[port].kind == Port::Kind::kList && port + 1 == schema.inputs.size()) {
    // Of select_input the values of the list stand one by one.
    for (size_t i = port + 1; i < op_.operands.size(); ++i) {
      const std::vector<ValueId> more = scope_.find(op_.operands[i]).values;
      value.values.insert(value.values.end(), more.begin(), more.end());
    }
  }
  if (value.is_list && schema.inputs[port].kind != Port::Kind::kList) return {join_integers(value.values)};
  return std::move(value.values);
}

/// An optional result matters only if something uses it.
int PirLowering::outputs_wanted(const OpSchema& schema, size_t port) {
  if (port >= op_.results.size() || op_.results[port].id == 0) return 0;
  const pir::Definition& definition = op_.results[port];
  if (schema.outputs[port].kind == Port::Kind::kList) {
    return definition.type.kind == pir::Type::Kind::kList ? static_cast<int>(definition.type.elements.size()) : 1;
  }
  return used_.contains(definition.id) ? 1 : 0;
}

void PirLowering::bind_port(const OpSchema& /*row*/, size_t port, int i, ValueId value) {
  if (port < op_.results.size()) bind_result(op_.results[port], value, i);
}

}  // namespace coracle::internal
