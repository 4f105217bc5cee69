// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// Writes files as Paddle Lite's opt does, by the field numbers of its schema.
namespace coracle::internal::test {

using LiteValue = std::variant<int32_t, float, std::string, std::vector<int32_t>, std::vector<float>, bool>;
using LiteSlots = std::vector<std::pair<std::string, std::vector<std::string>>>;

struct LiteOperator {
  std::string type;
  LiteSlots inputs;
  LiteSlots outputs;
  std::vector<std::pair<std::string, LiteValue>> attributes = {};
};

struct LiteVariable {
  std::string name;
  std::vector<int64_t> dims = {};
  int32_t data_type = 5;  // float32
  int32_t type = 7;
  bool persistable = false;
};

struct LiteParameter {
  std::string name;
  std::vector<int64_t> dims;
  int32_t data_type;
  std::string bytes;
};

struct LiteBlock {
  int32_t parent = -1;
  std::vector<LiteVariable> variables = {};
  std::vector<LiteOperator> operators = {};
};

template <class T>
LiteParameter lite_parameter(std::string name, std::vector<int64_t> dims, int32_t data_type,
                             const std::vector<T>& values) {
  return {std::move(name), std::move(dims), data_type,
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
}

struct LiteFile {
  std::vector<LiteBlock> blocks;
  std::vector<LiteParameter> parameters = {};
  uint16_t version = 2;
  std::string producer = "v2.13";

  std::string bytes() const {
    std::string out = number(version) + producer.substr(0, 16);
    out.resize(2 + 16);
    const std::string program = topology();
    out += number<uint64_t>(program.size()) + program;
    if (version == 1) return out + all_parameters();
    out += number<uint16_t>(0) + number<uint16_t>(0) + number<uint16_t>(6) +
           number(static_cast<uint16_t>(parameters.size())) + number<uint32_t>(0);
    for (const LiteParameter& p : parameters) {
      Builder builder;
      const std::string one = finished(builder, parameter(builder, p));
      out += number(static_cast<uint32_t>(one.size() + 4)) + number<uint32_t>(4) + one;
    }
    return out;
  }

 private:
  using Builder = flatbuffers::FlatBufferBuilder;
  using Offset = flatbuffers::Offset<flatbuffers::Table>;

  /// A table that is being written; what it refers to stands before.
  class Writer {
   public:
    explicit Writer(Builder& builder) : builder_(builder), start_(builder.StartTable()) {}
    template <class T>
    Writer& add(int field, T value) {
      builder_.AddElement<T>(place(field), value, T{});
      return *this;
    }
    template <class T>
    Writer& add(int field, flatbuffers::Offset<T> offset) {
      builder_.AddOffset(place(field), offset);
      return *this;
    }
    Offset end() { return Offset(builder_.EndTable(start_)); }

   private:
    static flatbuffers::voffset_t place(int field) { return static_cast<flatbuffers::voffset_t>(4 + 2 * field); }
    Builder& builder_;
    flatbuffers::uoffset_t start_;
  };

  template <class T>
  static std::string number(T value) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }

  static std::string finished(Builder& builder, Offset root) {
    builder.Finish(root);
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
  }

  template <class T, class Make>
  static auto list(Builder& builder, const std::vector<T>& all, const Make& make) {
    std::vector<Offset> offsets;
    for (const T& one : all) offsets.push_back(make(one));
    return builder.CreateVector(offsets);
  }

  static Offset attribute(Builder& b, const std::string& name, const LiteValue& value) {
    const auto text = b.CreateString(name);
    const auto table = [&](int32_t type) { return Writer(b).add(0, text).add(1, type); };
    if (const auto* i = std::get_if<int32_t>(&value)) return table(0).add(2, *i).end();
    if (const auto* f = std::get_if<float>(&value)) return table(1).add(3, *f).end();
    if (const auto* is_true = std::get_if<bool>(&value)) {
      return table(6).add(8, static_cast<uint8_t>(*is_true ? 1 : 0)).end();
    }
    if (const auto* s = std::get_if<std::string>(&value)) {
      const auto content = b.CreateString(*s);
      return table(2).add(4, content).end();
    }
    if (const auto* ints = std::get_if<std::vector<int32_t>>(&value)) {
      const auto content = b.CreateVector(*ints);
      return table(3).add(5, content).end();
    }
    const auto content = b.CreateVector(std::get<std::vector<float>>(value));
    return table(4).add(6, content).end();
  }

  static auto slots(Builder& b, const LiteSlots& all) {
    return list(b, all, [&](const auto& slot) {
      const auto name = b.CreateString(slot.first);
      const auto variables = b.CreateVectorOfStrings(slot.second);
      return Writer(b).add(0, name).add(1, variables).end();
    });
  }

  static Offset operator_table(Builder& b, const LiteOperator& op) {
    const auto type = b.CreateString(op.type);
    const auto inputs = slots(b, op.inputs);
    const auto outputs = slots(b, op.outputs);
    const auto attributes = list(b, op.attributes, [&](const auto& a) { return attribute(b, a.first, a.second); });
    return Writer(b).add(0, type).add(1, inputs).add(2, outputs).add(3, attributes).end();
  }

  static Offset variable(Builder& b, const LiteVariable& v) {
    const auto name = b.CreateString(v.name);
    const auto dims = b.CreateVector(v.dims);
    const auto tensor = Writer(b).add(0, v.data_type).add(1, dims).end();
    const auto lod_tensor = Writer(b).add(0, tensor).end();
    const auto type = Writer(b).add(0, v.type).add(2, lod_tensor).end();
    return Writer(b).add(0, name).add(1, type).add(2, static_cast<uint8_t>(v.persistable ? 1 : 0)).end();
  }

  std::string topology() const {
    Builder b;
    const auto all = list(b, blocks, [&](const LiteBlock& block) {
      const auto variables = list(b, block.variables, [&](const LiteVariable& v) { return variable(b, v); });
      const auto operators = list(b, block.operators, [&](const LiteOperator& op) { return operator_table(b, op); });
      return Writer(b).add(1, block.parent).add(2, variables).add(3, operators).end();
    });
    return finished(b, Writer(b).add(0, all).end());
  }

  static Offset parameter(Builder& b, const LiteParameter& p) {
    const auto name = b.CreateString(p.name);
    const auto dims = b.CreateVector(p.dims);
    const auto data = b.CreateVector(reinterpret_cast<const uint8_t*>(p.bytes.data()), p.bytes.size());
    const auto tensor = Writer(b).add(2, dims).add(3, p.data_type).add(4, data).end();
    return Writer(b).add(1, name).add(2, uint8_t{1}).add(3, tensor).end();
  }

  std::string all_parameters() const {
    Builder b;
    const auto all = list(b, parameters, [&](const LiteParameter& p) { return parameter(b, p); });
    return finished(b, Writer(b).add(0, all).end());
  }
};

}  // namespace coracle::internal::test
