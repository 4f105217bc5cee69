// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "model/programdesc.h"
#include "saved/flat_table.h"

/// The FlatBuffers in Paddle Lite's files. Their tables have the fields of ProgramDesc's messages; fields are numbered
/// in the order of the schema (lite/model_parser/flatbuffers/framework.fbs and param.fbs).
namespace coracle::internal::paddle_lite::schema {

/// What may be read of tables in so many bytes: lists can name the same table many times over, which writers do not do.
class Budget {
 public:
  explicit Budget(uint64_t bytes) : left_(bytes * kTimes) {}
  void spend(uint64_t bytes) const {
    require(bytes <= left_, "its tables are used many times over: it is damaged");
    left_ -= bytes;
  }

 private:
  static constexpr uint64_t kTimes = 4;
  mutable uint64_t left_;
};

template <class Table>
Table root(std::span<const uint8_t> bytes) {
  const saved::FlatBytes flat(bytes);
  return Table(flat, flat.target(0));
}

class LoDTensor : public saved::FlatTable {
 public:
  using FlatTable::FlatTable;
  std::vector<int64_t> dims() const { return numbers<int64_t>(2).all(); }
  int32_t data_type() const { return number<int32_t>(3); }
  std::span<const uint8_t> data() const { return numbers<uint8_t>(4).bytes(); }
  uint64_t cost() const { return uint64_t{numbers<int64_t>(2).size()} * sizeof(int64_t) + numbers<uint8_t>(4).size(); }
};

class Param : public saved::FlatTable {
 public:
  using FlatTable::FlatTable;
  std::string_view name() const { return string(1); }
  std::optional<LoDTensor> tensor() const {
    constexpr uint8_t kLoDTensor = 1;
    return number<uint8_t>(2) == kLoDTensor ? table<LoDTensor>(3) : std::nullopt;
  }
  uint64_t cost() const { return name().size() + (tensor() ? tensor()->cost() : 0); }
};

class Params : public saved::FlatTable {
 public:
  using FlatTable::FlatTable;
  saved::FlatList<Param> params() const { return list<Param>(0); }
};

/// The program in `bytes`, into which its names point.
programdesc::Program program_of(std::span<const uint8_t> bytes);

}  // namespace coracle::internal::paddle_lite::schema
