// SPDX-License-Identifier: Apache-2.0
#include "model/programdesc_write.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "model/programdesc_attribute.h"

namespace coracle::internal::programdesc {
namespace {

using Writer = protozero::pbf_writer;

/// The VarType number of an element type.
int64_t number_of(DType dtype) {
  const int number = row_of(dtype).var_type;
  require(number >= 0, ErrorCode::kUnsupported, "a program cannot declare elements of ", dtype);
  return number;
}

void write_slot(Writer& op, uint32_t field, std::string_view slot, std::span<const std::string> names) {
  Writer m(op, field);
  m.add_string(1, slot.data(), slot.size());
  for (const std::string& name : names) m.add_string(2, name);
}

void write_attribute(Writer& op, const std::string& name, const AttributeToWrite& value) {
  Writer m(op, 4);
  m.add_string(1, name);
  const auto type = [&](AttributeType t) { m.add_int64(2, t); };
  if (const auto* truth = std::get_if<bool>(&value)) {
    type(kBoolean);
    m.add_bool(10, *truth);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    type(kInt);
    m.add_int64(3, *integer);
  } else if (const auto* dtype = std::get_if<DType>(&value)) {
    type(kInt);
    m.add_int64(3, number_of(*dtype));
  } else if (const auto* wide = std::get_if<LongInteger>(&value)) {
    type(kLong);
    m.add_int64(13, wide->value);
  } else if (const auto* several = std::get_if<Ints>(&value)) {
    type(kInts);
    for (int64_t i : *several) m.add_int64(6, i);
  } else if (const auto* real = std::get_if<float>(&value)) {
    type(kFloat);
    m.add_float(4, *real);
  } else {
    type(kString);
    m.add_string(5, std::get<std::string>(value));  // no operator of this format has a place
  }
}

void write_tensor(Writer& m, DType dtype, std::span<const int64_t> dims) {
  m.add_int64(1, number_of(dtype));
  for (int64_t d : dims) m.add_int64(2, d);
}

void add_all(const std::vector<std::string_view>& fields, std::string& to) {
  for (std::string_view field : fields) to.append(field);
}

}  // namespace

std::string tensor_desc(DType dtype, std::span<const int64_t> dims) {
  std::string out;
  Writer m(out);
  write_tensor(m, dtype, dims);
  return out;
}

std::string bytes_of(const NewVariable& v) {
  std::string out;
  Writer m(out);
  m.add_string(1, v.name.data(), v.name.size());
  {
    Writer type(m, 2);
    type.add_int64(1, kDenseTensor);
    Writer dense(type, 3);
    Writer tensor(dense, 1);
    write_tensor(tensor, v.dtype, v.dims);
  }
  m.add_bool(3, v.persistable);
  return out;
}

std::string bytes_of(const NewOperator& o) {
  std::string out;
  Writer m(out);
  for (const auto& [slot, name] : o.inputs) {
    if (!name.empty()) write_slot(m, 1, slot, {&name, 1});
  }
  for (const auto& [slot, name] : o.outputs) {
    if (!name.empty()) write_slot(m, 2, slot, {&name, 1});
  }
  m.add_string(3, o.type);
  for (const auto& [name, value] : o.attributes) write_attribute(m, name, value);
  return out;
}

std::string with_inputs(const Operator& o,
                        const std::function<const std::vector<std::string>*(const Slot&)>& variables) {
  std::string out;
  Writer writer(out);
  protozero::pbf_reader m(o.bytes.data(), o.bytes.size());
  const char* begin = o.bytes.data();
  auto slot = o.inputs.begin();
  while (m.next()) {
    const bool input = m.tag_and_type() == protozero::tag_and_type(1, protozero::pbf_wire_type::length_delimited);
    m.skip();
    const char* const end = m.data().data();
    const std::vector<std::string>* other = input ? variables(*slot) : nullptr;
    if (other != nullptr) {
      write_slot(writer, 1, slot->name, *other);
    } else {
      out.append(begin, end);
    }
    slot += input ? 1 : 0;
    begin = end;
  }
  return out;
}

std::string file_with(const Program& program, std::span<const std::string_view> variables,
                      std::span<const std::string_view> operators) {
  std::string block;
  add_all(program.blocks.front().others, block);
  Writer of_block(block);
  for (std::string_view v : variables) of_block.add_bytes(3, v.data(), v.size());
  for (std::string_view o : operators) of_block.add_bytes(4, o.data(), o.size());
  std::string out;
  Writer m(out);
  m.add_bytes(1, block);
  for (size_t i = 1; i < program.blocks.size(); ++i) {
    m.add_bytes(1, program.blocks[i].bytes.data(), program.blocks[i].bytes.size());
  }
  add_all(program.others, out);
  return out;
}

}  // namespace coracle::internal::programdesc
