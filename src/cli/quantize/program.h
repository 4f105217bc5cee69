// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A program of either of Paddle's formats whose main block can be changed. Operators, slots and attributes of both
/// have the names of ProgramDesc; values of PIR, which have none in the file, have the names that the library shows.
/// What is not changed stays as it is in the file.
namespace coracle::cli {

enum class ProgramFormat { kProgramDesc, kPir };

/// VarType numbers of element types that are read or written.
enum class VarDtype : int64_t { kInt32 = 2, kInt64 = 3, kFloat16 = 4, kFloat32 = 5, kUint8 = 20, kInt8 = 21 };

/// The VarType number of dense tensors.
inline constexpr int64_t kDenseTensor = 7;

struct ProgramVariable {
  std::string bytes;  ///< as in the file; empty: it is new
  std::string name;
  int64_t type = 0;    ///< a VarType number
  int64_t dtype = -1;  ///< a VarType number; -1 unknown
  std::vector<int64_t> dims;
  bool persistable = false;

  /// Whether its content is a parameter's, in the files beside the program.
  bool is_parameter() const;
};

/// Names of variables by slot.
using ProgramSlots = std::map<std::string, std::vector<std::string>>;

/// An integer that the format has in 64 bits.
struct LongInteger {
  int64_t value;
};
/// Integers of 32 bits in ProgramDesc, of 64 in PIR.
using Integers = std::vector<int64_t>;
/// Where a value of PIR is: in the memory of the CPU.
struct CpuPlace {};

/// An attribute that is written: true or false, an integer of 32 bits, a real number, a text, an element type, or one
/// of the above.
using AttributeToWrite = std::variant<bool, int64_t, float, std::string, VarDtype, LongInteger, Integers, CpuPlace>;

/// What a new operator is written from, in the order of its operands, results and attributes. An empty variable is one
/// that is left out.
struct NewOperator {
  std::string type;
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;
  std::vector<std::pair<std::string, AttributeToWrite>> attributes;
};

struct ProgramOperator {
  struct Replaced {
    std::string slot;
    std::string from;
    std::string to;
  };

  std::string bytes;  ///< as in the file; empty: it is new
  std::string type;
  ProgramSlots inputs;
  ProgramSlots outputs;
  std::map<std::string, int64_t> integers;   ///< attributes that are an integer or true or false
  std::map<std::string, float> reals;        ///< attributes that are a real number
  std::map<std::string, std::string> texts;  ///< attributes that are a text
  std::map<std::string, Integers> lists;     ///< attributes that are integers
  std::vector<Replaced> replaced;            ///< what it reads otherwise than in the file
  NewOperator made;                          ///< where it is new

  /// The only variable of a slot; empty if there is none or there are several.
  std::string input(const std::string& slot) const;
  std::string output(const std::string& slot) const;
  int64_t integer(const std::string& name, int64_t otherwise) const;
  /// An attribute of integers; none where there is none.
  Integers list(const std::string& name) const;
  /// Reads `to` in a slot where it read `from`.
  void replace_input(const std::string& slot, const std::string& from, const std::string& to);
};

ProgramVariable dense_variable(const std::string& name, VarDtype dtype, const std::vector<int64_t>& dims,
                               bool parameter);
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
  std::shared_ptr<const ProgramWriter> writer;  ///< never null behind parse_program

  ProgramFormat format() const { return writer->format(); }
  const ProgramVariable* find(std::string_view name) const;
  /// Names of all parameters in the order of a combined file.
  std::vector<std::string> parameters() const;
};

/// Throws Failure (invalid model) that names `file`.
Program parse_program(const std::string& file, const std::string& content);
Program parse_programdesc(const std::string& file, const std::string& content);
Program parse_pir(const std::string& file, const std::string& content);
std::string bytes_of(const Program& program);

}  // namespace coracle::cli
