// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "graph/attributes.h"

/// What writers of both program formats write that no file has yet.
namespace coracle::internal {

/// A dense tensor that a program declares.
struct NewVariable {
  std::string_view name;
  DType dtype = DType::kFloat32;
  const std::vector<int64_t>& dims;
  bool persistable = false;
};

/// An integer that the format has in 64 bits.
struct LongInteger {
  int64_t value;
};
/// Where a value of PIR is: in the memory of the CPU.
struct CpuPlace {};

/// An attribute that is written: true or false, an integer of 32 bits, a real number, a text, an element type, integers
/// (of 32 bits in ProgramDesc, of 64 in PIR), or one of the above.
using AttributeToWrite = std::variant<bool, int64_t, float, std::string, DType, LongInteger, Ints, CpuPlace>;

/// What an operator is written from, in the order of its operands, results and attributes. An empty variable is one
/// that is left out.
struct NewOperator {
  std::string type;
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;
  std::vector<std::pair<std::string, AttributeToWrite>> attributes;
};

}  // namespace coracle::internal
