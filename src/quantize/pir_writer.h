// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "quantize/program.h"

namespace coracle::quantize {

/// Writes programs in PIR.
class PirWriter : public ProgramWriter {
 public:
  ProgramFormat format() const override { return ProgramFormat::kPir; }
  std::string bytes_of(const Program& program) const override;

  std::string head;                              ///< of the document, up to the operations of the main block
  std::string tail;                              ///< behind them
  std::vector<std::string> variables;            ///< by number; of parameters that are stored
  std::vector<std::string> operators;            ///< by number
  std::vector<std::string> unstored;             ///< parameters without a content in the files
  std::unordered_map<std::string, int64_t> ids;  ///< of the main block's values, by name
  int64_t next = 1;                              ///< an id that no value has
  bool trainable = true;                         ///< whether operations say which results are for training

 private:
  struct Ids;
  using Variables = std::unordered_map<std::string_view, const ProgramVariable*>;

  std::string parameter_text(const ProgramVariable& v, Ids& numbers) const;
  std::string operation_text(const NewOperator& made, const Variables& variables, Ids& numbers) const;
  std::string changed(const ProgramOperator& o, Ids& numbers) const;
};

}  // namespace coracle::quantize
