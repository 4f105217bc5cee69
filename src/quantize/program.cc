// SPDX-License-Identifier: Apache-2.0
#include "quantize/program.h"

#include <algorithm>
#include <set>

namespace coracle::internal::quantize {
namespace {

std::string only(const ProgramSlots& slots, const std::string& slot) {
  const auto found = slots.find(slot);
  return found == slots.end() || found->second.size() != 1 ? std::string() : found->second[0];
}

}  // namespace

std::string ProgramOperator::input(const std::string& slot) const { return only(inputs, slot); }
std::string ProgramOperator::output(const std::string& slot) const { return only(outputs, slot); }

int64_t ProgramOperator::integer(std::string_view name, int64_t otherwise) const {
  if (const bool* truth = attribute<bool>(name)) return *truth ? 1 : 0;
  const int64_t* value = attribute<int64_t>(name);
  return value == nullptr ? otherwise : *value;
}

double ProgramOperator::real(std::string_view name, double otherwise) const {
  const double* value = attribute<double>(name);
  return value == nullptr ? otherwise : *value;
}

const std::string* ProgramOperator::text(std::string_view name) const { return attribute<std::string>(name); }

Ints ProgramOperator::list(std::string_view name) const {
  const Ints* values = attribute<Ints>(name);
  return values == nullptr ? Ints() : *values;
}

void ProgramOperator::replace_input(const std::string& slot, const std::string& from, const std::string& to) {
  std::vector<std::string>& names = inputs[slot];
  std::replace(names.begin(), names.end(), from, to);
  replaced.push_back({slot, from, to});
}

ProgramVariable dense_variable(const std::string& name, DType dtype, const std::vector<int64_t>& dims, bool parameter) {
  return {{}, name, dtype, dims, parameter, parameter};
}

ProgramOperator new_operator(NewOperator made) {
  ProgramOperator o;
  o.type = made.type;
  for (const auto& [slot, name] : made.inputs) {
    if (!name.empty()) o.inputs[slot].push_back(name);
  }
  for (const auto& [slot, name] : made.outputs) {
    if (!name.empty()) o.outputs[slot].push_back(name);
  }
  o.made = std::move(made);
  return o;
}

const ProgramVariable* Program::find(std::string_view name) const {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

std::vector<std::string> Program::parameters() const {
  std::set<std::string> names;
  for (const ProgramVariable& v : variables) {
    if (v.is_parameter) names.insert(v.name);
  }
  return {names.begin(), names.end()};
}

std::string bytes_of(const Program& program) { return program.writer->bytes_of(program); }

}  // namespace coracle::internal::quantize
