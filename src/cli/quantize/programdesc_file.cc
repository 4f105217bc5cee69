// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "cli/failure.h"
#include "cli/quantize/program.h"

// Programs in the format ProgramDesc.
namespace coracle::cli {
namespace {

using Reader = protozero::pbf_reader;
using Writer = protozero::pbf_writer;
using Wire = protozero::pbf_wire_type;

constexpr uint32_t varint(uint32_t field) { return protozero::tag_and_type(field, Wire::varint); }
constexpr uint32_t fixed32(uint32_t field) { return protozero::tag_and_type(field, Wire::fixed32); }
constexpr uint32_t bytes(uint32_t field) { return protozero::tag_and_type(field, Wire::length_delimited); }

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
      case fixed32(4): to.reals[name] = m.get_float(); break;
      case bytes(5): to.texts[name] = m.get_string(); break;  // behind the name, as all writers order fields
      case varint(6):                                         // ints, longs; one element at a time, or all of them
      case varint(15): to.lists[name].push_back(m.get_int64()); break;
      case bytes(6):
      case bytes(15):
        for (const int64_t each : m.get_packed_int64()) to.lists[name].push_back(each);
        break;
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

void read_other_block(const protozero::data_view& message, Program& to) {
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

void write_slot(Writer& op, uint32_t field, const std::string& slot, const std::vector<std::string>& names) {
  Writer m(op, field);
  m.add_string(1, slot);
  for (const std::string& name : names) m.add_string(2, name);
}

std::string variable_bytes(const ProgramVariable& v) {
  if (!v.bytes.empty()) return v.bytes;
  std::string out;
  Writer m(out);
  m.add_string(1, v.name);
  {
    Writer type(m, 2);
    type.add_int64(1, kDenseTensor);
    Writer dense(type, 3);
    Writer tensor(dense, 1);
    tensor.add_int64(1, v.dtype);
    for (int64_t d : v.dims) tensor.add_int64(2, d);
  }
  m.add_bool(3, v.persistable);
  return out;
}

/// Numbers of AttrType and the field that each has its value in.
struct AttributeForm {
  int64_t type;
  uint32_t field;
};
constexpr AttributeForm kInteger{0, 3};
constexpr AttributeForm kReal{1, 4};
constexpr AttributeForm kText{2, 5};
constexpr AttributeForm kIntegers{3, 6};
constexpr AttributeForm kLong{9, 13};
constexpr AttributeForm kBoolean{6, 10};

void write_attribute(Writer& op, const std::string& name, const AttributeToWrite& value) {
  Writer m(op, 4);
  m.add_string(1, name);
  const auto start = [&](AttributeForm form) {
    m.add_int64(2, form.type);
    return form.field;
  };
  if (const auto* truth = std::get_if<bool>(&value)) {
    m.add_bool(start(kBoolean), *truth);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    m.add_int64(start(kInteger), *integer);
  } else if (const auto* dtype = std::get_if<VarDtype>(&value)) {
    m.add_int64(start(kInteger), static_cast<int64_t>(*dtype));
  } else if (const auto* wide = std::get_if<LongInteger>(&value)) {
    m.add_int64(start(kLong), wide->value);
  } else if (const auto* several = std::get_if<Integers>(&value)) {
    const uint32_t field = start(kIntegers);
    for (int64_t i : *several) m.add_int64(field, i);
  } else if (const auto* real = std::get_if<float>(&value)) {
    m.add_float(start(kReal), *real);
  } else {
    m.add_string(start(kText), std::get<std::string>(value));  // no operator of this format has a place
  }
}

std::string new_operator_bytes(const NewOperator& made) {
  std::string out;
  Writer m(out);
  for (const auto& [slot, name] : made.inputs) {
    if (!name.empty()) write_slot(m, 1, slot, {name});
  }
  for (const auto& [slot, name] : made.outputs) {
    if (!name.empty()) write_slot(m, 2, slot, {name});
  }
  m.add_string(3, made.type);
  for (const auto& [name, value] : made.attributes) write_attribute(m, name, value);
  return out;
}

std::string operator_bytes(const ProgramOperator& o) {
  if (o.bytes.empty()) return new_operator_bytes(o.made);
  if (o.replaced.empty()) return o.bytes;
  std::string changed;
  Writer writer(changed);
  Reader m(o.bytes);
  while (m.next()) {
    if (m.tag_and_type() != bytes(1)) {
      copy_field(m, writer);
      continue;
    }
    const protozero::data_view view = m.get_view();
    const std::string slot = read_slot(Reader(view)).first;
    const bool changes =
        std::any_of(o.replaced.begin(), o.replaced.end(), [&](const auto& r) { return r.slot == slot; });
    changes ? write_slot(writer, 1, slot, o.inputs.at(slot)) : writer.add_bytes(1, view);
  }
  return changed;
}

class ProgramDescWriter : public ProgramWriter {
 public:
  ProgramFormat format() const override { return ProgramFormat::kProgramDesc; }
  std::string bytes_of(const Program& program) const override {
    std::string block = block_rest;
    Writer of_block(block);
    for (const ProgramVariable& v : program.variables) of_block.add_bytes(3, variable_bytes(v));
    for (const ProgramOperator& o : program.operators) of_block.add_bytes(4, operator_bytes(o));
    std::string out;
    Writer m(out);
    m.add_bytes(1, block);
    for (const std::string& other : other_blocks) m.add_bytes(1, other);
    return out + rest;
  }

  std::string block_rest;                 ///< other fields of the main block
  std::vector<std::string> other_blocks;  ///< BlockDescs
  std::string rest;                       ///< the program's other fields
};

void read_main_block(Reader m, Program& to, std::string& block_rest) {
  Writer rest(block_rest);
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes(3): to.variables.push_back(read_variable(m.get_view())); break;
      case bytes(4): to.operators.push_back(read_operator(m.get_view())); break;
      default: copy_field(m, rest);
    }
  }
}

}  // namespace

Program parse_programdesc(const std::string& file, const std::string& content) try {
  Program program;
  auto writer = std::make_shared<ProgramDescWriter>();
  Writer rest(writer->rest);
  bool main = true;
  Reader m(content);
  while (m.next()) {
    if (m.tag_and_type() != bytes(1)) {
      copy_field(m, rest);
    } else if (main) {
      read_main_block(m.get_message(), program, writer->block_rest);
      main = false;
    } else {
      const protozero::data_view view = m.get_view();
      writer->other_blocks.emplace_back(view.data(), view.size());
      read_other_block(view, program);
    }
  }
  program.writer = std::move(writer);
  return program;
} catch (const protozero::exception&) {
  throw Failure(ExitCode::kInvalidModel, file + ": it is not a whole ProgramDesc file");
}

}  // namespace coracle::cli
