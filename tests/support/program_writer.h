// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

/// Writes ProgramDesc files and tensor records by hand, byte by byte, independently of the readers.
namespace coracle::internal::test {

/// A protobuf message under construction.
class Message {
 public:
  Message& varint(int field, int64_t value) {
    key(field, 0);
    number(static_cast<uint64_t>(value));
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    key(field, 2);
    number(value.size());
    content_.append(value);
    return *this;
  }
  Message& message(int field, const Message& value) { return bytes(field, value.content_); }
  Message& float32(int field, float value) {
    key(field, 5);
    content_.append(raw(value));
    return *this;
  }
  Message& packed(int field, const std::vector<int64_t>& values) {
    Message inner;
    for (int64_t v : values) inner.number(static_cast<uint64_t>(v));
    return bytes(field, inner.content_);
  }
  void append(const Message& other) { content_ += other.content_; }
  const std::string& content() const { return content_; }

  template <class T>
  static std::string raw(T value) {
    std::string out(sizeof(T), '\0');
    std::memcpy(out.data(), &value, sizeof(T));
    return out;
  }

 private:
  void key(int field, int type) { number(static_cast<uint64_t>(field) << 3U | static_cast<uint64_t>(type)); }
  void number(uint64_t value) {
    for (; value > 127; value >>= 7U) content_.push_back(static_cast<char>((value & 127U) | 128U));
    content_.push_back(static_cast<char>(value));
  }

  std::string content_;
};

using Names = std::vector<std::string>;
using Dims = std::vector<int64_t>;

/// VarType numbers used below.
inline constexpr int kBool = 0;
inline constexpr int kInt32 = 2;
inline constexpr int kInt64 = 3;
inline constexpr int kFloat16 = 4;
inline constexpr int kFloat32 = 5;
inline constexpr int kInt8 = 21;
inline constexpr int kFloat8E4m3 = 32;

inline Message tensor_desc(int dtype, const Dims& dims) {
  Message desc;
  desc.varint(1, dtype);
  for (int64_t d : dims) desc.varint(2, d);
  return desc;
}

/// A variable of VarType `kind` (7 tensor, 9 feed, 10 fetch, 13 tensor array) with levels of sequence offsets.
inline Message variable(std::string_view name, int dtype, const Dims& dims, bool persistable = false, int kind = 7,
                        int lod_levels = 0) {
  Message type;
  type.varint(1, kind);
  if (kind == 7) type.message(3, Message().message(1, tensor_desc(dtype, dims)).varint(2, lod_levels));
  if (kind == 13) type.message(4, Message().message(1, tensor_desc(dtype, dims)));
  return Message().bytes(1, name).message(2, type).varint(3, persistable ? 1 : 0);
}

class OpWriter {
 public:
  explicit OpWriter(std::string type) : type_(std::move(type)) {}

  OpWriter& in(std::string_view slot, const Names& names) { return slot_to(1, slot, names); }
  OpWriter& out(std::string_view slot, const Names& names) { return slot_to(2, slot, names); }
  OpWriter& integer(std::string_view name, int64_t value) { return attribute(name, 0, Message().varint(3, value)); }
  OpWriter& long_integer(std::string_view name, int64_t value) {
    return attribute(name, 9, Message().varint(13, value));
  }
  OpWriter& real(std::string_view name, float value) { return attribute(name, 1, Message().float32(4, value)); }
  OpWriter& string(std::string_view name, std::string_view value) {
    return attribute(name, 2, Message().bytes(5, value));
  }
  OpWriter& strings(std::string_view name, const Names& values) {
    Message m;
    for (const std::string& v : values) m.bytes(8, v);
    return attribute(name, 5, m);
  }
  OpWriter& boolean(std::string_view name, bool value) { return attribute(name, 6, Message().varint(10, value)); }
  OpWriter& block(std::string_view name, int64_t index) { return attribute(name, 8, Message().varint(12, index)); }
  OpWriter& variable(std::string_view name, std::string_view of) {
    return attribute(name, 13, Message().bytes(17, of));
  }
  OpWriter& integers(std::string_view name, const Dims& values) {
    Message m;
    for (int64_t v : values) m.varint(6, v);
    return attribute(name, 3, m);
  }
  OpWriter& reals(std::string_view name, const std::vector<float>& values) {
    Message m;
    for (float v : values) m.float32(7, v);
    return attribute(name, 4, m);
  }
  /// The same in the packed encoding, which writers may use.
  OpWriter& packed_integers(std::string_view name, const Dims& values) {
    return attribute(name, 3, Message().packed(6, values));
  }

  Message message() const {
    Message m = slots_;
    m.bytes(3, type_);
    for (const Message& a : attributes_) m.message(4, a);
    return m;
  }

 private:
  OpWriter& slot_to(int field, std::string_view slot, const Names& names) {
    Message m;
    m.bytes(1, slot);
    for (const std::string& n : names) m.bytes(2, n);
    slots_.message(field, m);
    return *this;
  }
  OpWriter& attribute(std::string_view name, int type, const Message& value) {
    Message m;
    m.bytes(1, name).varint(2, type);
    attributes_.push_back(join(m, value));
    return *this;
  }
  static Message join(Message a, const Message& b) {
    a.append(b);
    return a;
  }

  std::string type_;
  Message slots_;
  std::vector<Message> attributes_;
};

struct BlockWriter {
  int64_t index = 0;
  int64_t parent = -1;
  std::vector<Message> variables;
  std::vector<OpWriter> operators;

  Message message() const {
    Message m;
    m.varint(1, index).varint(2, parent);
    for (const Message& v : variables) m.message(3, v);
    for (const OpWriter& op : operators) m.message(4, op.message());
    return m;
  }
};

/// A program file of these blocks; `version` as major * 1000000 + minor * 1000 + patch.
inline std::string program_file(const std::vector<BlockWriter>& blocks, int64_t version = 2006002) {
  Message m;
  for (const BlockWriter& b : blocks) m.message(1, b.message());
  m.message(4, Message().varint(1, version));
  return m.content();
}

/// feed and fetch of a main block, with their variables.
inline void add_feed(BlockWriter& block, const std::string& name, int dtype, const Dims& dims, int col) {
  if (col == 0) block.variables.push_back(variable("feed", 0, {}, true, 9));
  block.variables.push_back(variable(name, dtype, dims));
  block.operators.push_back(OpWriter("feed").in("X", {"feed"}).out("Out", {name}).integer("col", col));
}
inline void add_fetch(BlockWriter& block, const std::string& name, int col) {
  if (col == 0) block.variables.push_back(variable("fetch", 0, {}, true, 10));
  block.operators.push_back(OpWriter("fetch").in("X", {name}).out("Out", {"fetch"}).integer("col", col));
}

/// One tensor record of a parameter file.
template <class T>
std::string record(int dtype, const Dims& dims, const std::vector<T>& values) {
  const std::string desc = tensor_desc(dtype, dims).content();
  std::string out = Message::raw<uint32_t>(0) + Message::raw<uint64_t>(0) + Message::raw<uint32_t>(0) +
                    Message::raw<int32_t>(static_cast<int32_t>(desc.size())) + desc;
  for (T v : values) out += Message::raw(v);
  return out;
}

}  // namespace coracle::internal::test
