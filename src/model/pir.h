// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/attributes.h"
#include "graph/model_info.h"
#include "model/byte_source.h"

/// The PIR program of inference.json files as plain structs.
namespace coracle::internal::pir {

/// Nested regions and nested types or attributes go at most this deep.
inline constexpr int kMaxDepth = 32;

/// The type of a value.
struct Type {
  enum class Kind : uint8_t {
    kNone,  ///< null, or a kind of value that does not exist here
    kTensor,
    kArray,  ///< tensor array; dtype and dims are those of its elements
    kList,   ///< fixed list of values, types in `elements`
  };
  Kind kind = Kind::kNone;
  std::optional<DType> dtype;  ///< absent for element types that do not exist here
  std::vector<int64_t> dims;
  int lod_levels = 0;
  std::vector<Type> elements;
};

/// A value where it is defined: result or block argument. Id 0 stands for no value.
struct Definition {
  int64_t id = 0;
  Type type;
};

struct Region;

struct Operation {
  std::string dialect;  ///< "builtin", "pd_op", "cf", or as written
  std::string name;     ///< without dialect and trailing '_'
  std::vector<int64_t> operands;
  std::vector<Definition> results;
  AttributeMap attributes;
  std::vector<Region> regions;
  std::string scope;  ///< attribute struct_name: "/Encoder/Linear_1/"
  size_t index = 0;   ///< in its block, parameters counted
};

/// A weight: the builtin parameter operation.
struct Parameter {
  std::string name;
  Definition value;
  bool persistable = true;           ///< stored in the parameter file
  std::optional<size_t> index = {};  ///< in the main block; none: it is in a region of an operation
};

struct Region {
  std::vector<Definition> arguments;
  std::vector<Operation> operations;
};

struct Program {
  std::string file;
  int64_t version = 0;    ///< of the format
  bool trainable = true;  ///< operations say which results are for training
  std::vector<Parameter> parameters;
  Region main;
};

/// "t_f32" of float32.
std::string_view element_name(DType dtype);

/// Parses a program. Unknown keys, attributes and types are skipped. Memory is linear in the file's size. Throws Error
/// (kInvalidModel) with the byte offset or the operation that is damaged.
Program parse(const FileBytes& file);

}  // namespace coracle::internal::pir
