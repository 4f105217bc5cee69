// SPDX-License-Identifier: Apache-2.0
#include "model/paddle_lite_schema.h"

#include "base/dtypes.h"
#include "model/programdesc_attribute.h"

namespace coracle::internal::paddle_lite::schema {
namespace {

using programdesc::Values;
using saved::FlatList;
using saved::FlatNumbers;
using saved::FlatTable;

/// The texts of a list.
std::vector<std::string_view> texts_of(const FlatList<std::string_view>& list, const Budget& budget) {
  budget.spend(uint64_t{list.size()} * sizeof(uint32_t));
  std::vector<std::string_view> texts;
  texts.reserve(list.size());
  for (uint32_t i = 0; i < list.size(); ++i) {
    texts.push_back(list[i]);
    budget.spend(texts.back().size());
  }
  return texts;
}

/// The numbers of a list, as attributes have them.
template <class To, class From>
std::vector<To> numbers_of(const FlatNumbers<From>& numbers, const Budget& budget) {
  budget.spend(uint64_t{numbers.size()} * sizeof(From));
  const std::vector<From> all = numbers.all();
  return std::vector<To>(all.begin(), all.end());
}

class Attribute : public FlatTable {
 public:
  using FlatTable::FlatTable;
  std::string_view name() const { return string(0); }

  Values values(const Budget& budget) const {
    using namespace programdesc;
    Values v;
    v.type = number<int32_t>(1);
    switch (v.type) {
      case kInt: v.integer = number<int32_t>(2); break;
      case kFloat: v.real = number<float>(3); break;
      case kString:
      case kVar:
        v.string = string(4);
        budget.spend(v.string.size());
        break;
      case kInts: v.integers = numbers_of<int64_t>(numbers<int32_t>(5), budget); break;
      case kFloats: v.reals = numbers_of<double>(numbers<float>(6), budget); break;
      case kStrings:
      case kVars: v.strings = texts_of(list<std::string_view>(7), budget); break;
      case kBoolean: v.boolean = truth(8); break;
      case kBooleans: v.integers = numbers_of<int64_t>(numbers<uint8_t>(9), budget); break;
      case kBlock: v.integer = number<int32_t>(10); break;
      case kLong: v.integer = number<int64_t>(11); break;
      case kLongs: v.integers = numbers_of<int64_t>(numbers<int64_t>(13), budget); break;
      case kFloat64: v.real = number<double>(14); break;
      case kFloat64s: v.reals = numbers_of<double>(numbers<double>(15), budget); break;
      default: break;
    }
    return v;
  }
};

class SlotTable : public FlatTable {
 public:
  using FlatTable::FlatTable;
  std::string_view name() const { return string(0); }
  FlatList<std::string_view> variables() const { return list<std::string_view>(1); }
};

std::vector<programdesc::Slot> slots_of(const FlatList<SlotTable>& list, const Budget& budget) {
  budget.spend(uint64_t{list.size()} * sizeof(uint32_t));
  std::vector<programdesc::Slot> slots;
  for (uint32_t i = 0; i < list.size(); ++i) {
    const SlotTable slot = list[i];
    slots.push_back({slot.name(), texts_of(slot.variables(), budget)});
  }
  return slots;
}

class OperatorTable : public FlatTable {
 public:
  using FlatTable::FlatTable;

  programdesc::Operator read(const Budget& budget) const {
    programdesc::Operator op;
    op.type = string(0);
    op.inputs = slots_of(list<SlotTable>(1), budget);
    op.outputs = slots_of(list<SlotTable>(2), budget);
    const FlatList<Attribute> attributes = list<Attribute>(3);
    budget.spend(uint64_t{attributes.size()} * sizeof(uint32_t));
    for (uint32_t i = 0; i < attributes.size(); ++i) {
      const Attribute attribute = attributes[i];
      const std::string_view name = attribute.name();
      budget.spend(name.size());
      programdesc::set_attribute(name, attribute.values(budget), op);
    }
    return op;
  }
};

class TensorDescTable : public FlatTable {
 public:
  using FlatTable::FlatTable;
  int32_t data_type() const { return number<int32_t>(0); }
  FlatNumbers<int64_t> dims() const { return numbers<int64_t>(1); }
};

class LoDTensorDescTable : public FlatTable {
 public:
  using FlatTable::FlatTable;
  std::optional<TensorDescTable> tensor() const { return table<TensorDescTable>(0); }
  int32_t lod_level() const { return number<int32_t>(1); }
};

class VariableType : public FlatTable {
 public:
  using FlatTable::FlatTable;
  int32_t type() const { return number<int32_t>(0); }
  std::optional<LoDTensorDescTable> lod_tensor() const { return table<LoDTensorDescTable>(2); }
  std::optional<LoDTensorDescTable> tensor_array() const { return table<LoDTensorDescTable>(3); }
};

class VariableTable : public FlatTable {
 public:
  using FlatTable::FlatTable;

  programdesc::Variable read(const Budget& budget) const {
    programdesc::Variable v;
    v.name = string(0);
    v.persistable = truth(2);
    const std::optional<VariableType> type = table<VariableType>(1);
    if (!type) return v;
    v.type = type->type();
    const std::optional<LoDTensorDescTable> desc = type->lod_tensor() ? type->lod_tensor() : type->tensor_array();
    if (!desc || !desc->tensor()) return v;
    v.described = true;
    v.lod_level = desc->lod_level();
    v.dtype = dtype_of_var_type(desc->tensor()->data_type());
    v.dims = numbers_of<int64_t>(desc->tensor()->dims(), budget);
    return v;
  }
};

class BlockTable : public FlatTable {
 public:
  using FlatTable::FlatTable;
  int32_t parent() const { return number<int32_t>(1); }
  FlatList<VariableTable> variables() const { return list<VariableTable>(2); }
  FlatList<OperatorTable> operators() const { return list<OperatorTable>(3); }
};

class Version : public FlatTable {
 public:
  using FlatTable::FlatTable;
  int64_t version() const { return number<int64_t>(0); }
};

class ProgramTable : public FlatTable {
 public:
  using FlatTable::FlatTable;
  FlatList<BlockTable> blocks() const { return list<BlockTable>(0); }
  std::optional<Version> version() const { return table<Version>(1); }
};

}  // namespace

programdesc::Program program_of(std::span<const uint8_t> bytes) {
  const Budget budget(bytes.size());
  const auto file = root<ProgramTable>(bytes);
  programdesc::Program program;
  if (const auto version = file.version()) program.version = version->version();
  const FlatList<BlockTable> blocks = file.blocks();
  budget.spend(uint64_t{blocks.size()} * sizeof(uint32_t));
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const BlockTable block = blocks[b];
    programdesc::Block& to = program.blocks.emplace_back();
    to.parent = block.parent();
    const FlatList<VariableTable> variables = block.variables();
    budget.spend(uint64_t{variables.size()} * sizeof(uint32_t));
    for (uint32_t i = 0; i < variables.size(); ++i) to.variables.push_back(variables[i].read(budget));
    const FlatList<OperatorTable> operators = block.operators();
    budget.spend(uint64_t{operators.size()} * sizeof(uint32_t));
    for (uint32_t i = 0; i < operators.size(); ++i) to.operators.push_back(operators[i].read(budget));
  }
  require(!program.blocks.empty(), "its program has no blocks");
  return program;
}

}  // namespace coracle::internal::paddle_lite::schema
