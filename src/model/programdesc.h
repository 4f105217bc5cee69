// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/run_context.h"
#include "base/shape.h"
#include "graph/attributes.h"
#include "model/byte_source.h"

/// The ProgramDesc message of .pdmodel and __model__ files as plain structs. Names are views into the file's bytes, and
/// so is what a program is written from again (programdesc_write.h): the bytes of messages, and fields as they are.
namespace coracle::internal::programdesc {

/// VarType.Type, as far as readers care; element types are told by dtype_of_var_type.
enum VarType : int64_t {
  kDenseTensor = 7,
  kSelectedRows = 8,
  kFeedMinibatch = 9,
  kFetchList = 10,
  kTensorArray = 13,
  kReader = 15,
  kRaw = 17,
  kVocab = 27,
};

struct Variable {
  std::string_view name;
  int64_t type = kDenseTensor;
  bool described = false;      ///< the program has an element type and dimensions for it
  std::optional<DType> dtype;  ///< absent for element types that do not exist here
  std::vector<int64_t> dims;   ///< -1 unknown
  int64_t lod_level = 0;
  bool persistable = false;
  std::string_view bytes;  ///< the message

  /// Whether its content is in the parameter files.
  bool is_stored() const {
    return persistable && type != kFeedMinibatch && type != kFetchList && type != kRaw && type != kReader;
  }
};

/// Input or output slot of an operator with its variables.
struct Slot {
  std::string_view name;
  std::vector<std::string_view> variables;
};

/// An attribute whose value is a variable's, or a list of variables.
struct VariableAttribute {
  std::string_view name;
  std::vector<std::string_view> variables;
  bool list = false;
};

struct Operator {
  std::string_view type;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  AttributeMap attributes;  ///< without op_callstack and its like
  std::vector<VariableAttribute> variable_attributes;
  std::optional<int64_t> sub_block;
  std::string_view scope;  ///< attribute op_namescope: "/encoder/layer_0/"
  std::string_view bytes;  ///< the message
};

struct Block {
  int64_t parent = -1;
  std::vector<Variable> variables;
  std::vector<Operator> operators;
  std::string_view bytes;                ///< the message
  std::vector<std::string_view> others;  ///< its fields that are neither variables nor operators
};

struct Program {
  FileBytes file;                  ///< what the views point into
  std::optional<int64_t> version;  ///< major * 1000000 + minor * 1000 + patch
  std::map<std::string_view, int64_t> op_versions;
  std::vector<Block> blocks;             ///< the main block first
  std::vector<std::string_view> others;  ///< the file's fields that are no blocks
};

/// Parses a program. Unknown fields are skipped, repeated numbers may be packed or not. Memory is linear in the file's
/// size. Throws Error (kInvalidModel) with the byte offset of the damage.
Program parse(const RunContext& context, FileBytes file);
inline Program parse(FileBytes file) { return parse(kNoRun, std::move(file)); }

/// Dimensions as a Shape: negative ones are unknown, and so is the rank if it is above the greatest possible.
Shape shape_of(const std::vector<int64_t>& dims);

/// A TensorDesc message, as it also heads each parameter record.
struct TensorDesc {
  std::optional<int64_t> type_number;
  std::vector<int64_t> dims;
};
TensorDesc parse_tensor_desc(std::span<const uint8_t> bytes);

}  // namespace coracle::internal::programdesc
