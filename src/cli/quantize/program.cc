// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/program.h"

#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "cli/failure.h"

namespace coracle::cli {
namespace {

using Reader = protozero::pbf_reader;
using Writer = protozero::pbf_writer;
using Wire = protozero::pbf_wire_type;

constexpr uint32_t varint(uint32_t field) { return protozero::tag_and_type(field, Wire::varint); }
constexpr uint32_t bytes(uint32_t field) { return protozero::tag_and_type(field, Wire::length_delimited); }

constexpr int64_t kDenseTensor = 7;
/// Feeds, fetches, readers and raw variables persist without a content in the files.
constexpr int64_t kNotStored[] = {9, 10, 15, 17};
constexpr int64_t kAttributeInt = 0;
constexpr int64_t kAttributeBoolean = 6;

/// The field a reader stands at, as it is.
void copy_field(Reader& from, Writer& to) {
  switch (from.wire_type()) {
    case Wire::varint: to.add_uint64(from.tag(), from.get_uint64()); break;
    case Wire::fixed32: to.add_fixed32(from.tag(), from.get_fixed32()); break;
    case Wire::fixed64: to.add_fixed64(from.tag(), from.get_fixed64()); break;
    default: to.add_bytes(from.tag(), from.get_view()); break;
  }
}

void read_tensor(Reader m, ProgramVariable& to) {
  while (m.next()) {
    switch (m.tag_and_type()) {
      case varint(1): to.dtype = m.get_int64(); break;
      case varint(2): to.dims.push_back(m.get_int64()); break;
      case bytes(2):
        for (int64_t d : m.get_packed_int64()) to.dims.push_back(d);
        break;
      default: m.skip();
    }
  }
}

void read_type(Reader m, ProgramVariable& to) {
  while (m.next()) {
    if (m.tag_and_type() == varint(1)) {
      to.type = m.get_int64();
    } else if (m.tag_and_type() == bytes(3)) {
      Reader dense = m.get_message();
      while (dense.next()) {
        dense.tag_and_type() == bytes(1) ? read_tensor(dense.get_message(), to) : dense.skip();
      }
    } else {
      m.skip();
    }
  }
}

ProgramVariable read_variable(const protozero::data_view& message) {
  ProgramVariable v;
  v.bytes.assign(message.data(), message.size());
  Reader m(message);
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes(1): v.name = m.get_string(); break;
      case bytes(2): read_type(m.get_message(), v); break;
      case varint(3): v.persistable = m.get_bool(); break;
      default: m.skip();
    }
  }
  return v;
}

std::pair<std::string, std::vector<std::string>> read_slot(Reader m) {
  std::pair<std::string, std::vector<std::string>> slot;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes(1): slot.first = m.get_string(); break;
      case bytes(2): slot.second.push_back(m.get_string()); break;
      default: m.skip();
    }
  }
  return slot;
}

void read_attribute(Reader m, ProgramOperator& to) {
  std::string name;
  bool integer = false;
  int64_t value = 0;
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes(1): name = m.get_string(); break;
      case varint(3):
      case varint(13):
        value = m.get_int64();
        integer = true;
        break;
      case varint(10):
        value = m.get_bool() ? 1 : 0;
        integer = true;
        break;
      case bytes(5): to.texts[name] = m.get_string(); break;  // behind the name, as all writers order fields
      default: m.skip();
    }
  }
  if (integer) to.integers[name] = value;
}

ProgramOperator read_operator(const protozero::data_view& message) {
  ProgramOperator o;
  o.bytes.assign(message.data(), message.size());
  Reader m(message);
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes(1): o.inputs.insert(read_slot(m.get_message())); break;
      case bytes(2): o.outputs.insert(read_slot(m.get_message())); break;
      case bytes(3): o.type = m.get_string(); break;
      case bytes(4): read_attribute(m.get_message(), o); break;
      default: m.skip();
    }
  }
  return o;
}

void read_main_block(Reader m, Program& to) {
  Writer rest(to.block_rest);
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes(3): to.variables.push_back(read_variable(m.get_view())); break;
      case bytes(4): to.operators.push_back(read_operator(m.get_view())); break;
      default: copy_field(m, rest);
    }
  }
}

void read_other_block(const protozero::data_view& message, Program& to) {
  to.other_blocks.emplace_back(message.data(), message.size());
  Reader m(message);
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes(4):
        for (const auto& [slot, names] : read_operator(m.get_view()).inputs) {
          to.read_by_others.insert(to.read_by_others.end(), names.begin(), names.end());
        }
        break;
      default: m.skip();
    }
  }
}

std::string only(const ProgramSlots& slots, const std::string& slot) {
  const auto found = slots.find(slot);
  return found == slots.end() || found->second.size() != 1 ? std::string() : found->second[0];
}

void write_slot(Writer& op, uint32_t field, const std::string& slot, const std::vector<std::string>& names) {
  Writer m(op, field);
  m.add_string(1, slot);
  for (const std::string& name : names) m.add_string(2, name);
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

void ProgramOperator::replace_input(const std::string& slot, const std::string& from, const std::string& to) {
  std::vector<std::string>& names = inputs[slot];
  std::replace(names.begin(), names.end(), from, to);
  std::string changed;
  Writer writer(changed);
  Reader m(bytes);
  while (m.next()) {
    if (m.tag_and_type() != protozero::tag_and_type(1, Wire::length_delimited)) {
      copy_field(m, writer);
      continue;
    }
    const protozero::data_view view = m.get_view();
    if (read_slot(Reader(view)).first == slot) {
      write_slot(writer, 1, slot, names);
    } else {
      writer.add_bytes(1, view);
    }
  }
  bytes = std::move(changed);
}

ProgramVariable dense_variable(const std::string& name, VarDtype dtype, const std::vector<int64_t>& dims,
                               bool parameter) {
  ProgramVariable v{{}, name, kDenseTensor, static_cast<int64_t>(dtype), dims, parameter};
  Writer m(v.bytes);
  m.add_string(1, name);
  {
    Writer type(m, 2);
    type.add_int64(1, kDenseTensor);
    Writer dense(type, 3);
    Writer tensor(dense, 1);
    tensor.add_int64(1, v.dtype);
    for (int64_t d : dims) tensor.add_int64(2, d);
  }
  m.add_bool(3, parameter);
  return v;
}

ProgramOperator linear_rounding(const char* type, const std::string& x, const std::string& scale,
                                const std::string& zero_point, const std::string& y, int axis) {
  std::string message;
  Writer m(message);
  write_slot(m, 1, "X", {x});
  write_slot(m, 1, "Scale", {scale});
  write_slot(m, 1, "ZeroPoint", {zero_point});
  write_slot(m, 2, "Y", {y});
  m.add_string(3, type);
  const auto integer = [&](const char* name, int value) {
    Writer a(m, 4);
    a.add_string(1, name);
    a.add_int64(2, kAttributeInt);
    a.add_int32(3, value);
  };
  const auto truth = [&](const char* name, bool value) {
    Writer a(m, 4);
    a.add_string(1, name);
    a.add_int64(2, kAttributeBoolean);
    a.add_bool(10, value);
  };
  integer("quant_axis", axis);
  integer("bit_length", 8);
  integer("round_type", 0);
  truth("is_test", true);
  truth("only_observer", false);
  return read_operator({message.data(), message.size()});
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

Program parse_program(const std::string& file, const std::string& content) try {
  Program program;
  Writer rest(program.rest);
  bool main = true;
  Reader m(content);
  while (m.next()) {
    if (m.tag_and_type() != bytes(1)) {
      copy_field(m, rest);
    } else if (main) {
      read_main_block(m.get_message(), program);
      main = false;
    } else {
      read_other_block(m.get_view(), program);
    }
  }
  return program;
} catch (const protozero::exception&) {
  throw Failure(ExitCode::kInvalidModel, file + ": it is not a whole ProgramDesc file");
}

std::string bytes_of(const Program& program) {
  std::string block = program.block_rest;
  Writer of_block(block);
  for (const ProgramVariable& v : program.variables) of_block.add_bytes(3, v.bytes);
  for (const ProgramOperator& o : program.operators) of_block.add_bytes(4, o.bytes);
  std::string out;
  Writer m(out);
  m.add_bytes(1, block);
  for (const std::string& other : program.other_blocks) m.add_bytes(1, other);
  return out + program.rest;
}

}  // namespace coracle::cli
