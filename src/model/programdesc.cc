// SPDX-License-Identifier: Apache-2.0
#include "model/programdesc.h"

#include <algorithm>
#include <array>
#include <protozero/pbf_reader.hpp>

#include "base/error.h"
#include "base/printable.h"
#include "model/programdesc_attribute.h"

namespace coracle::internal::programdesc {
namespace {

using Reader = protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

constexpr uint32_t varint(uint32_t field) { return protozero::tag_and_type(field, Wire::varint); }
constexpr uint32_t bytes(uint32_t field) { return protozero::tag_and_type(field, Wire::length_delimited); }
constexpr uint32_t fixed32(uint32_t field) { return protozero::tag_and_type(field, Wire::fixed32); }
constexpr uint32_t fixed64(uint32_t field) { return protozero::tag_and_type(field, Wire::fixed64); }

/// Attributes that say nothing about what an operator computes and can be most of the file.
constexpr std::array<std::string_view, 5> kIgnored = {"op_callstack", "op_role_var", "op_device", "op_role",
                                                      "with_quant_attr"};

std::string_view view_of(const protozero::data_view& v) { return {v.data(), v.size()}; }
Reader reader_of(std::string_view message) { return {message.data(), message.size()}; }

/// Adds the field of `m` that begins at `begin` and was read.
void add_field(const char* begin, const Reader& m, std::vector<std::string_view>& to) {
  const auto size = static_cast<size_t>(m.data().data() - begin);
  const bool follows = !to.empty() && to.back().data() + to.back().size() == begin;
  follows ? to.back() = {to.back().data(), to.back().size() + size} : to.emplace_back(begin, size);
}

/// Reads messages; `at_` follows so that errors can tell where.
class Parser {
 public:
  Parser(const RunContext& context, const char* begin) : context_(context), begin_(begin), at_(begin) {}

  size_t offset() const { return static_cast<size_t>(at_ - begin_); }

  void program(Reader m, Program& to) {
    while (next(m)) {
      const char* const begin = at_;
      switch (m.tag_and_type()) {
        case bytes(1): block(view_of(m.get_view()), to.blocks.emplace_back()); continue;
        case bytes(4): to.version = version(m.get_message()); break;
        case bytes(5): op_version_map(m.get_message(), to); break;
        default: m.skip();
      }
      add_field(begin, m, to.others);
    }
  }

  TensorDesc tensor_desc(Reader m) {
    TensorDesc desc;
    while (next(m)) {
      switch (m.tag_and_type()) {
        case varint(1): desc.type_number = m.get_int64(); break;
        case varint(2):
        case bytes(2): read_integers(m, desc.dims); break;
        default: m.skip();
      }
    }
    return desc;
  }

 private:
  bool next(Reader& m) {
    at_ = m.data().data();
    return m.next();
  }

  static void read_integers(Reader& m, Ints& to) {
    if (m.has_wire_type(Wire::varint)) {
      to.push_back(m.get_int64());
      return;
    }
    for (int64_t v : m.get_packed_int64()) to.push_back(v);
  }
  static void read_floats(Reader& m, Floats& to) {
    if (m.has_wire_type(Wire::fixed32)) {
      to.push_back(m.get_float());
      return;
    }
    for (float v : m.get_packed_float()) to.push_back(v);
  }
  static void read_doubles(Reader& m, Floats& to) {
    if (m.has_wire_type(Wire::fixed64)) {
      to.push_back(m.get_double());
      return;
    }
    for (double v : m.get_packed_double()) to.push_back(v);
  }

  /// The first varint field of a message that has no other of interest.
  int64_t version(Reader m) {
    int64_t value = 0;
    while (next(m)) {
      if (m.tag_and_type() == varint(1)) {
        value = m.get_int64();
      } else {
        m.skip();
      }
    }
    return value;
  }

  void op_version_map(Reader m, Program& to) {
    while (next(m)) {
      if (m.tag_and_type() != bytes(1)) {
        m.skip();
        continue;
      }
      Reader pair = m.get_message();
      std::string_view name;
      int64_t revision = 0;
      while (next(pair)) {
        switch (pair.tag_and_type()) {
          case bytes(1): name = view_of(pair.get_view()); break;
          case bytes(2): revision = version(pair.get_message()); break;
          default: pair.skip();
        }
      }
      to.op_versions[name] = revision;
    }
  }

  void block(std::string_view message, Block& to) {
    to.bytes = message;
    Reader m = reader_of(message);
    while (next(m)) {
      const char* const begin = at_;
      switch (m.tag_and_type()) {
        case varint(2): to.parent = m.get_int32(); break;
        case bytes(3): variable(view_of(m.get_view()), to.variables.emplace_back()); continue;
        case bytes(4): op(view_of(m.get_view()), to.operators.emplace_back()); continue;
        default: m.skip();
      }
      add_field(begin, m, to.others);
    }
  }

  void variable(std::string_view message, Variable& to) {
    to.bytes = message;
    Reader m = reader_of(message);
    while (next(m)) {
      switch (m.tag_and_type()) {
        case bytes(1): to.name = view_of(m.get_view()); break;
        case bytes(2): var_type(m.get_message(), to); break;
        case varint(3): to.persistable = m.get_bool(); break;
        default: m.skip();
      }
    }
  }

  void var_type(Reader m, Variable& to) {
    const auto set = [&](TensorDesc desc) {
      to.described = true;
      if (desc.type_number) to.dtype = dtype_of_var_type(*desc.type_number);
      to.dims = std::move(desc.dims);
    };
    while (next(m)) {
      switch (m.tag_and_type()) {
        case varint(1): to.type = m.get_int64(); break;
        case bytes(2): set(tensor_desc(m.get_message())); break;
        case bytes(3):
        case bytes(4): {  // dense tensor, tensor array: { tensor, lod_level }
          Reader tensor = m.get_message();
          while (next(tensor)) {
            switch (tensor.tag_and_type()) {
              case bytes(1): set(tensor_desc(tensor.get_message())); break;
              case varint(2): to.lod_level = tensor.get_int32(); break;
              default: tensor.skip();
            }
          }
          break;
        }
        default: m.skip();
      }
    }
  }

  void op(std::string_view message, Operator& to) {
    context_.check();
    to.bytes = message;
    Reader m = reader_of(message);
    while (next(m)) {
      switch (m.tag_and_type()) {
        case bytes(1): slot(m.get_message(), to.inputs.emplace_back()); break;
        case bytes(2): slot(m.get_message(), to.outputs.emplace_back()); break;
        case bytes(3): to.type = view_of(m.get_view()); break;
        case bytes(4): attribute(m.get_message(), to); break;
        default: m.skip();
      }
    }
  }

  void slot(Reader m, Slot& to) {
    while (next(m)) {
      switch (m.tag_and_type()) {
        case bytes(1): to.name = view_of(m.get_view()); break;
        case bytes(2): to.variables.push_back(view_of(m.get_view())); break;
        default: m.skip();
      }
    }
  }

  Scalar scalar(Reader m) {
    Scalar s;
    while (next(m)) {
      switch (m.tag_and_type()) {
        case varint(2):
        case varint(3):
          s.integer = m.get_int64();
          s.real = static_cast<double>(s.integer);
          s.is_integer = true;
          break;
        case fixed64(4): s.real = m.get_double(); break;
        case bytes(5): {
          Reader complex = m.get_message();
          while (next(complex)) {
            if (complex.tag_and_type() == fixed64(1)) {
              s.real = complex.get_double();
            } else if (complex.tag_and_type() == fixed64(2)) {
              require(complex.get_double() == 0, ErrorCode::kUnsupported,
                      "complex numbers as attributes are not supported");
            } else {
              complex.skip();
            }
          }
          break;
        }
        default: m.skip();
      }
    }
    return s;
  }

  void attribute(Reader m, Operator& to) {
    std::string_view name;
    Values v;
    while (next(m)) {
      switch (m.tag_and_type()) {
        case bytes(1):
          name = view_of(m.get_view());
          if (std::find(kIgnored.begin(), kIgnored.end(), name) != kIgnored.end()) return;
          break;
        case varint(2): v.type = m.get_int64(); break;
        case varint(3): v.integer = m.get_int32(); break;
        case fixed32(4): v.real = m.get_float(); break;
        case bytes(5):
        case bytes(17): v.string = view_of(m.get_view()); break;
        case varint(6):
        case bytes(6):
        case varint(11):
        case bytes(11):
        case varint(14):
        case bytes(14):
        case varint(15):
        case bytes(15): read_integers(m, v.integers); break;
        case fixed32(7):
        case bytes(7): read_floats(m, v.reals); break;
        case bytes(8):
        case bytes(18): v.strings.push_back(view_of(m.get_view())); break;
        case varint(10): v.boolean = m.get_bool(); break;
        case varint(12): v.integer = m.get_int32(); break;
        case varint(13): v.integer = m.get_int64(); break;
        case fixed64(16):
        case bytes(16): read_doubles(m, v.reals); break;
        case fixed64(19): v.real = m.get_double(); break;
        case bytes(20):
        case bytes(21): v.scalars.push_back(scalar(m.get_message())); break;
        default: m.skip();
      }
    }
    set_attribute(name, std::move(v), to);
  }

  const RunContext& context_;
  const char* begin_;
  const char* at_;
};

/// What is wrong where protozero stops.
std::string_view reason(const protozero::exception& e) {
  if (dynamic_cast<const protozero::end_of_buffer_exception*>(&e) != nullptr) return "it ends within a field";
  if (dynamic_cast<const protozero::varint_too_long_exception*>(&e) != nullptr) return "a number has too many bytes";
  if (dynamic_cast<const protozero::unknown_pbf_wire_type_exception*>(&e) != nullptr) return "a field of no known type";
  if (dynamic_cast<const protozero::invalid_tag_exception*>(&e) != nullptr) return "a field of an impossible number";
  if (dynamic_cast<const protozero::invalid_length_exception*>(&e) != nullptr) return "a list of an impossible length";
  return "a field cannot be read";
}

/// Runs f, turning what protozero throws into an Error with the place.
template <class F>
void guarded(const Parser& parser, std::string_view what, const F& f) {
  try {
    f();
  } catch (const protozero::exception& e) {
    fail(ErrorCode::kInvalidModel, what, " is damaged near byte ", parser.offset(), ": ", reason(e));
  }
}

}  // namespace

Program parse(const RunContext& context, FileBytes file) {
  Program program;
  program.file = std::move(file);
  const auto* begin = reinterpret_cast<const char*>(program.file.bytes.data());
  const std::string what = text("the program ", in_quotes(program.file.name));
  require(!program.file.bytes.empty(), ErrorCode::kInvalidModel, what, " is empty");
  Parser parser(context, begin);
  guarded(parser, what, [&] { parser.program(Reader(begin, program.file.bytes.size()), program); });
  require(!program.blocks.empty(), ErrorCode::kInvalidModel, what, " has no blocks: it is not a ProgramDesc file");
  return program;
}

Shape shape_of(const std::vector<int64_t>& dims) {
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) return Shape::unknown_rank();
  Shape shape;
  for (int64_t d : dims) shape.push_back(d < 0 ? Shape::kUnknown : d);
  return shape;
}

TensorDesc parse_tensor_desc(std::span<const uint8_t> bytes) {
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  TensorDesc desc;
  Parser parser(kNoRun, begin);
  guarded(parser, "the tensor description", [&] { desc = parser.tensor_desc(Reader(begin, bytes.size())); });
  return desc;
}

}  // namespace coracle::internal::programdesc
