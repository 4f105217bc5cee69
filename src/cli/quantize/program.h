// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// A ProgramDesc whose main block can be changed. What is not changed stays byte for byte as it is in the file.
namespace coracle::cli {

/// VarType numbers of element types that are written.
enum class VarDtype : int64_t { kInt32 = 2, kFloat32 = 5, kInt8 = 21 };

struct ProgramVariable {
  std::string bytes;  ///< the VarDesc
  std::string name;
  int64_t type = 0;
  int64_t dtype = -1;  ///< a VarType number; -1 unknown
  std::vector<int64_t> dims;
  bool persistable = false;

  /// Whether its content is a parameter's, in the files beside the program.
  bool is_parameter() const;
};

/// Names of variables by slot.
using ProgramSlots = std::map<std::string, std::vector<std::string>>;

struct ProgramOperator {
  std::string bytes;  ///< the OpDesc
  std::string type;
  ProgramSlots inputs;
  ProgramSlots outputs;
  std::map<std::string, int64_t> integers;   ///< attributes that are an integer or true or false
  std::map<std::string, std::string> texts;  ///< attributes that are a text

  /// The only variable of a slot; empty if there is none or there are several.
  std::string input(const std::string& slot) const;
  std::string output(const std::string& slot) const;
  int64_t integer(const std::string& name, int64_t otherwise) const;
  /// Reads `to` in a slot where it read `from`.
  void replace_input(const std::string& slot, const std::string& from, const std::string& to);
};

ProgramVariable dense_variable(const std::string& name, VarDtype dtype, const std::vector<int64_t>& dims,
                               bool parameter);
/// quantize_linear or dequantize_linear for one scale (axis -1) or one for each element of dimension `axis`, 8 bits,
/// ties to even.
ProgramOperator linear_rounding(const char* type, const std::string& x, const std::string& scale,
                                const std::string& zero_point, const std::string& y, int axis);

struct Program {
  std::vector<ProgramVariable> variables;   ///< of the main block
  std::vector<ProgramOperator> operators;   ///< of the main block
  std::string block_rest;                   ///< its other fields
  std::vector<std::string> other_blocks;    ///< BlockDescs
  std::vector<std::string> read_by_others;  ///< names of variables that operators of other blocks read
  std::string rest;                         ///< the program's other fields

  const ProgramVariable* find(std::string_view name) const;
  /// Names of all parameters in the order of a combined file.
  std::vector<std::string> parameters() const;
};

/// Throws Failure (invalid model) that names `file`.
Program parse_program(const std::string& file, const std::string& content);
std::string bytes_of(const Program& program);

}  // namespace coracle::cli
