// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "saved/flat_table.h"

/// The tables of schema.fbs, which says what their fields mean; scripts/saved_tables.py writes this file.
namespace coracle::internal::saved::tables {

enum class ElementType : uint8_t {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
  kUnknown,
  kFloat8E4m3,
  kFloat8E5m2,
};

enum class AttributeKind : uint8_t {
  kInteger,
  kReal,
  kText,
  kIntegers,
  kReals,
  kTexts,
};

struct Declared : FlatTable {
  using FlatTable::FlatTable;
  std::string_view name() const { return string(0); }
  ElementType type() const { return number<ElementType>(1); }
  FlatNumbers<int64_t> dims() const { return numbers<int64_t>(2); }
  int32_t lod_levels() const { return number<int32_t>(3); }
};

struct Value : FlatTable {
  using FlatTable::FlatTable;
  std::string_view name() const { return string(0); }
  ElementType type() const { return number<ElementType>(1); }
  FlatNumbers<int64_t> dims() const { return numbers<int64_t>(2); }
  bool array() const { return truth(3); }
};

struct Level : FlatTable {
  using FlatTable::FlatTable;
  FlatNumbers<uint64_t> offsets() const { return numbers<uint64_t>(0); }
};

struct Constant : FlatTable {
  using FlatTable::FlatTable;
  std::string_view name() const { return string(0); }
  ElementType type() const { return number<ElementType>(1); }
  FlatNumbers<int64_t> dims() const { return numbers<int64_t>(2); }
  uint64_t offset() const { return number<uint64_t>(3); }
  uint64_t bytes() const { return number<uint64_t>(4); }
  uint32_t checksum() const { return number<uint32_t>(5); }
  FlatList<Level> levels() const { return list<Level>(6); }
};

struct Attribute : FlatTable {
  using FlatTable::FlatTable;
  std::string_view name() const { return string(0); }
  AttributeKind kind() const { return number<AttributeKind>(1); }
  int64_t integer() const { return number<int64_t>(2); }
  double real() const { return number<double>(3); }
  std::string_view text() const { return string(4); }
  FlatNumbers<int64_t> integers() const { return numbers<int64_t>(5); }
  FlatNumbers<double> reals() const { return numbers<double>(6); }
  FlatList<std::string_view> texts() const { return list<std::string_view>(7); }
};

struct Node : FlatTable {
  using FlatTable::FlatTable;
  std::string_view operator_() const { return string(0); }
  std::string_view name() const { return string(1); }
  FlatList<Attribute> attributes() const { return list<Attribute>(2); }
  FlatNumbers<uint32_t> operands() const { return numbers<uint32_t>(3); }
  FlatNumbers<uint32_t> operand_counts() const { return numbers<uint32_t>(4); }
  FlatList<Value> results() const { return list<Value>(5); }
  FlatNumbers<uint32_t> result_counts() const { return numbers<uint32_t>(6); }
  FlatNumbers<uint32_t> regions() const { return numbers<uint32_t>(7); }
  int32_t lod_from() const { return number<int32_t>(8, -1); }
  std::string_view scope() const { return string(9); }
};

struct Region : FlatTable {
  using FlatTable::FlatTable;
  FlatList<Value> inputs() const { return list<Value>(0); }
  FlatList<Constant> constants() const { return list<Constant>(1); }
  FlatList<Node> nodes() const { return list<Node>(2); }
  FlatNumbers<uint32_t> outputs() const { return numbers<uint32_t>(3); }
  FlatList<std::string_view> output_names() const { return list<std::string_view>(4); }
};

struct Section : FlatTable {
  using FlatTable::FlatTable;
  std::string_view name() const { return string(0); }
  uint64_t offset() const { return number<uint64_t>(1); }
  uint64_t bytes() const { return number<uint64_t>(2); }
  bool optional() const { return truth(3); }
};

struct PackedWeights : FlatTable {
  using FlatTable::FlatTable;
  std::string_view layout() const { return string(0); }
  uint32_t graph() const { return number<uint32_t>(1); }
  FlatNumbers<int64_t> parameters() const { return numbers<int64_t>(3); }
  uint32_t section() const { return number<uint32_t>(4); }
  uint64_t offset() const { return number<uint64_t>(5); }
  uint64_t bytes() const { return number<uint64_t>(6); }
  uint32_t checksum() const { return number<uint32_t>(7); }
  uint32_t constant_checksum() const { return number<uint32_t>(8); }
  FlatNumbers<uint32_t> constants() const { return numbers<uint32_t>(9); }
  FlatNumbers<ElementType> types() const { return numbers<ElementType>(10); }
};

struct Block : FlatTable {
  using FlatTable::FlatTable;
  std::string_view engine() const { return string(0); }
  uint32_t graph() const { return number<uint32_t>(1); }
  FlatNumbers<uint32_t> nodes() const { return numbers<uint32_t>(2); }
};

struct CompiledBlock : FlatTable {
  using FlatTable::FlatTable;
  uint32_t block() const { return number<uint32_t>(0); }
  std::string_view version() const { return string(1); }
  std::string_view processor() const { return string(2); }
  FlatNumbers<uint64_t> key() const { return numbers<uint64_t>(3); }
  uint32_t section() const { return number<uint32_t>(4); }
  uint64_t offset() const { return number<uint64_t>(5); }
  uint64_t bytes() const { return number<uint64_t>(6); }
  uint32_t checksum() const { return number<uint32_t>(7); }
};

struct Range : FlatTable {
  using FlatTable::FlatTable;
  std::string_view input() const { return string(0); }
  FlatNumbers<int64_t> min() const { return numbers<int64_t>(1); }
  FlatNumbers<int64_t> usual() const { return numbers<int64_t>(2); }
  FlatNumbers<int64_t> max() const { return numbers<int64_t>(3); }
};

struct Rewrites : FlatTable {
  using FlatTable::FlatTable;
  std::string_view pass() const { return string(0); }
  int32_t count() const { return number<int32_t>(1); }
};

struct Model : FlatTable {
  using FlatTable::FlatTable;
  /// The one that bytes begin with.
  explicit Model(const FlatBytes& bytes) : FlatTable(bytes, bytes.target(0)) {}
  std::string_view version() const { return string(0); }
  std::string_view source() const { return string(1); }
  std::string_view source_format() const { return string(2); }
  std::string_view producer() const { return string(3); }
  FlatList<Rewrites> rewrites() const { return list<Rewrites>(4); }
  FlatList<std::string_view> left_out() const { return list<std::string_view>(5); }
  FlatList<Declared> inputs() const { return list<Declared>(6); }
  FlatList<Declared> outputs() const { return list<Declared>(7); }
  FlatList<Declared> parameters() const { return list<Declared>(8); }
  FlatList<Region> graphs() const { return list<Region>(9); }
  FlatList<Section> sections() const { return list<Section>(10); }
  FlatList<PackedWeights> packed() const { return list<PackedWeights>(11); }
  FlatList<Block> blocks() const { return list<Block>(12); }
  FlatList<CompiledBlock> compiled() const { return list<CompiledBlock>(13); }
  FlatList<Range> ranges() const { return list<Range>(14); }
};

}  // namespace coracle::internal::saved::tables
