// SPDX-License-Identifier: Apache-2.0
#include "model/program_lowering.h"

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "model/appended_steps.h"
#include "model/attribute_check.h"

namespace coracle::internal {

using programdesc::Slot;
using programdesc::Variable;
using programdesc::VariableAttribute;

std::span<const std::string_view> variables_at(const std::vector<Slot>& slots, std::string_view name) {
  for (const Slot& slot : slots) {
    if (slot.name == name) return slot.variables;
  }
  return {};
}

std::string_view single_variable(const std::vector<Slot>& slots, std::string_view name) {
  const std::span<const std::string_view> variables = variables_at(slots, name);
  return variables.empty() ? std::string_view() : variables.front();
}

Fact declared_fact(const Variable* variable) {
  Fact fact;
  if (variable == nullptr) return fact;
  fact.dtype = variable->dtype.value_or(DType::kFloat32);
  fact.shape = programdesc::shape_of(variable->dims);
  fact.is_array = variable->type == programdesc::kTensorArray;
  if (fact.is_array) fact.shape = Shape::unknown_rank();
  return fact;
}

void ProgramLowering::lower() {
  const OpSchema* schema = blocks_.operators().find_legacy(op_.type);
  require(schema != nullptr, ErrorCode::kUnsupported, "there is no operator ", in_quotes(op_.type));
  fix_variable_attributes(*schema);
  const AttributeReads reads(attributes_);
  if (schema->lower != nullptr) {
    lower_by_rule(*schema);
  } else {
    lower_by_ports(*schema);
  }
  append_steps(*schema, reads);
  if (!schema->of_user) check_attributes(op_.type, /*is_pir=*/false, *schema, reads);
}

/// What attributes append to an operator stands behind its first result.
void ProgramLowering::append_steps(const OpSchema& schema, const AttributeReads& reads) {
  const std::string_view name = schema.outputs.empty() ? "" : single_variable(op_.outputs, schema.outputs.front().slot);
  const ValueId result = name.empty() || name == kEmptyVariable ? kNoValue : scope_.find(name);
  if (result == kNoValue) return;
  const ValueId last = add_appended_steps(*this, reads, result);
  if (last != result) scope_.bind(name, last);
}

/// An attribute may be given by a variable. Where the operator has an operand for it, that takes the variable's value;
/// else the value must be known.
void ProgramLowering::fix_variable_attributes(const OpSchema& schema) {
  for (const VariableAttribute& a : op_.variable_attributes) {
    const bool operand = std::any_of(schema.inputs.begin(), schema.inputs.end(),
                                     [&](const Port& port) { return a.name == port.attribute; });
    if (operand || schema.lower != nullptr) continue;
    Ints integers;
    Floats reals;
    for (ValueId v : values_of(a.variables)) {
      const Tensor* value = v == kNoValue ? nullptr : scope_.graph().fact(v).value.get();
      require(value != nullptr, ErrorCode::kUnsupported, "attribute ", in_quotes(a.name),
              " is given by a variable whose value is known at run time only");
      for (int64_t i = 0; i < value->count(); ++i) {
        is_float(value->dtype()) ? reals.push_back(value->number(i)) : integers.push_back(value->integer(i));
      }
    }
    if (reals.empty()) {
      attributes_.set(std::string(a.name), std::move(integers));
    } else {
      attributes_.set(std::string(a.name), std::move(reals));
    }
  }
}

int64_t ProgramLowering::op_version() const {
  const auto& versions = blocks_.program().op_versions;
  const auto it = versions.find(op_.type);
  return it == versions.end() ? 0 : it->second;
}

/// A tensor array that nothing has written is empty: no operator makes one.
ValueId ProgramLowering::value_of(std::string_view name) const {
  const ValueId value = scope_.find(name);
  if (value != kNoValue) return value;
  const Fact declared = declared_fact(blocks_.find(scope_.block(), name));
  if (!declared.is_array) return kNoValue;
  const ValueId empty = add_undefined(scope_.graph(), declared);
  scope_.bind(name, empty);
  return empty;
}

std::vector<ValueId> ProgramLowering::values_of(std::span<const std::string_view> variables) const {
  std::vector<ValueId> values;
  for (std::string_view name : variables) values.push_back(name == kEmptyVariable ? kNoValue : value_of(name));
  return values;
}

std::vector<ValueId> ProgramLowering::inputs(std::string_view slot) const {
  for (const Slot& s : op_.inputs) {
    if (s.name == slot) return values_of(s.variables);
  }
  for (const VariableAttribute& a : op_.variable_attributes) {
    if (a.name == slot) return values_of(a.variables);
  }
  // A tensor array is written in place: what its variable held is an operand too.
  std::vector<ValueId> arrays;
  for (std::string_view name : variables_at(op_.outputs, slot)) {
    const Variable* v = blocks_.find(scope_.block(), name);
    if (v != nullptr && v->type == programdesc::kTensorArray) arrays.push_back(value_of(name));
  }
  return arrays;
}

int ProgramLowering::output_count(std::string_view slot) const {
  const std::span<const std::string_view> variables = variables_at(op_.outputs, slot);
  const bool empty = variables.size() == 1 && variables.front() == kEmptyVariable;
  return empty ? 0 : static_cast<int>(variables.size());
}

Fact ProgramLowering::declared_output(std::string_view slot, int i) const {
  const std::span<const std::string_view> variables = variables_at(op_.outputs, slot);
  if (i < 0 || static_cast<size_t>(i) >= variables.size()) return {};
  return declared_fact(blocks_.find(scope_.block(), variables[static_cast<size_t>(i)]));
}

void ProgramLowering::bind(std::string_view slot, ValueId value, int i) {
  const std::span<const std::string_view> variables = variables_at(op_.outputs, slot);
  if (i < 0 || static_cast<size_t>(i) >= variables.size()) return;
  check_result(slot, value);
  const std::string_view name = variables[static_cast<size_t>(i)];
  if (name != kEmptyVariable) scope_.bind(name, value);
}

std::vector<ValueId> ProgramLowering::port_values(const OpSchema& schema, size_t port) {
  const Port& p = schema.inputs[port];
  const auto given = [&](std::string_view slot) {
    std::vector<ValueId> values;
    if (!slot.empty()) values = inputs(slot);
    return values;
  };
  // The list overrides the tensor, which overrides the attribute.
  std::vector<ValueId> list = given(p.list_slot);
  std::erase(list, kNoValue);
  if (!list.empty()) return {join_integers(list)};
  std::vector<ValueId> values = given(p.slot);
  if (p.kind == Port::Kind::kOne && !values.empty() && values.front() == kNoValue) {
    fail(ErrorCode::kInvalidModel, "the variable ", in_quotes(single_variable(op_.inputs, p.slot)), " at input ",
         p.slot, " is read before it is written");
  }
  std::erase(values, kNoValue);
  if (values.empty() && !p.attribute.empty()) {
    values = given(p.attribute);
    if (values.size() > 1) return {join_integers(values)};
  }
  return values;
}

/// An optional output matters only if something reads it. Parameters (running means) do not change.
int ProgramLowering::outputs_wanted(const OpSchema& schema, size_t port) {
  const Port& p = schema.outputs[port];
  if (p.kind == Port::Kind::kList) return output_count(p.slot);
  if (!has_output(p.slot)) return 0;
  const std::string_view name = single_variable(op_.outputs, p.slot);
  const Variable* v = blocks_.find(scope_.block(), name);
  return blocks_.is_read(name) && (v == nullptr || !v->persistable) ? 1 : 0;
}

void ProgramLowering::bind_port(const OpSchema& schema, size_t port, int i, ValueId value) {
  bind(schema.outputs[port].slot, value, i);
}

}  // namespace coracle::internal
