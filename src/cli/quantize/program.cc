// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/program.h"

#include <algorithm>
#include <set>

namespace coracle::cli {
namespace {

/// Feeds, fetches, readers and raw variables persist without a content in the files.
constexpr int64_t kNotStored[] = {9, 10, 15, 17};

std::string only(const ProgramSlots& slots, const std::string& slot) {
  const auto found = slots.find(slot);
  return found == slots.end() || found->second.size() != 1 ? std::string() : found->second[0];
}

}  // namespace

bool ProgramVariable::is_parameter() const {
  return persistable && std::find(std::begin(kNotStored), std::end(kNotStored), type) == std::end(kNotStored);
}

std::string ProgramOperator::input(const std::string& slot) const { return only(inputs, slot); }
std::string ProgramOperator::output(const std::string& slot) const { return only(outputs, slot); }

int64_t ProgramOperator::integer(const std::string& name, int64_t otherwise) const {
  const auto found = integers.find(name);
  return found == integers.end() ? otherwise : found->second;
}

Integers ProgramOperator::list(const std::string& name) const {
  const auto found = lists.find(name);
  return found == lists.end() ? Integers() : found->second;
}

void ProgramOperator::replace_input(const std::string& slot, const std::string& from, const std::string& to) {
  std::vector<std::string>& names = inputs[slot];
  std::replace(names.begin(), names.end(), from, to);
  replaced.push_back({slot, from, to});
}

ProgramVariable dense_variable(const std::string& name, VarDtype dtype, const std::vector<int64_t>& dims,
                               bool parameter) {
  return {{}, name, kDenseTensor, static_cast<int64_t>(dtype), dims, parameter};
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
    if (v.is_parameter()) names.insert(v.name);
  }
  return {names.begin(), names.end()};
}

Program parse_program(const std::string& file, const std::string& content) {
  const size_t first = content.find_first_not_of(" \t\r\n");
  // A ProgramDesc starts with the tag of its first block, 0x0A, and a length.
  const bool json = first != std::string::npos && content[first] == '{' && (first == 0 || content[0] != '\n');
  return json ? parse_pir(file, content) : parse_programdesc(file, content);
}

std::string bytes_of(const Program& program) { return program.writer->bytes_of(program); }

}  // namespace coracle::cli
