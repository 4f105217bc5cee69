// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "graph/attributes.h"
#include "model/new_operator.h"

/// A program of either of Paddle's formats whose main block can be changed. Operators, slots and attributes of both
/// have the names of ProgramDesc; values of PIR, which have none in the file, have the names that the library shows.
/// What is not changed stays as it is in the file.
namespace coracle::internal::quantize {

enum class ProgramFormat { kProgramDesc, kPir };

struct ProgramVariable {
  std::optional<size_t> original;  ///< its number in the file; none: it is new
  std::string name;
  DType dtype = DType::kUnknown;
  std::vector<int64_t> dims;
  bool persistable = false;
  bool is_parameter = false;  ///< its content is in the files beside the program
};

/// Names of variables by slot.
using ProgramSlots = std::map<std::string, std::vector<std::string>>;

struct ProgramOperator {
  struct Replaced {
    std::string slot;
    std::string from;
    std::string to;
  };

  std::optional<size_t> original;  ///< its number in the file; none: it is new
  std::string type;
  ProgramSlots inputs;
  ProgramSlots outputs;
  std::shared_ptr<const AttributeMap> attributes;  ///< null where it is new
  std::vector<Replaced> replaced;                  ///< what it reads otherwise than in the file
  NewOperator made;                                ///< where it is new

  /// The only variable of a slot; empty if there is none or there are several.
  std::string input(const std::string& slot) const;
  std::string output(const std::string& slot) const;
  /// An attribute that is an integer or true or false.
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  /// An attribute that is a text, or null.
  const std::string* text(std::string_view name) const;
  /// An attribute of integers; none where there is none.
  Ints list(std::string_view name) const;
  /// Reads `to` in a slot where it read `from`.
  void replace_input(const std::string& slot, const std::string& from, const std::string& to);

 private:
  template <class T>
  const T* attribute(std::string_view name) const {
    const AttributeValue* value = attributes == nullptr ? nullptr : attributes->find(name);
    return value == nullptr ? nullptr : std::get_if<T>(value);
  }
};

ProgramVariable dense_variable(const std::string& name, DType dtype, const std::vector<int64_t>& dims, bool parameter);
ProgramOperator new_operator(NewOperator made);

struct Program;

/// Writes programs of a format, with what of the file is around variables and operators.
class ProgramWriter {
 public:
  virtual ~ProgramWriter() = default;
  virtual ProgramFormat format() const = 0;
  virtual std::string bytes_of(const Program& program) const = 0;
};

struct Program {
  std::vector<ProgramVariable> variables;       ///< of the main block
  std::vector<ProgramOperator> operators;       ///< of the main block
  std::vector<std::string> read_by_others;      ///< names of variables that operators of other blocks read
  std::shared_ptr<const ProgramWriter> writer;  ///< never null behind the functions below

  ProgramFormat format() const { return writer->format(); }
  const ProgramVariable* find(std::string_view name) const;
  /// Names of all parameters in the order of a combined file.
  std::vector<std::string> parameters() const;
};

/// Throws Error (invalid model) that names the file.
Program parse_programdesc(FileBytes file);
Program parse_pir(const FileBytes& file);
std::string bytes_of(const Program& program);

}  // namespace coracle::internal::quantize
