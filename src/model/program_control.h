// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/program_scope.h"
#include "model/regions.h"

namespace coracle::internal {

/// True for operator types that the importer turns into regions, inputs and outputs itself.
bool is_handled_by_reader(std::string_view type);

/// True for operator types that make a variable an output of the program.
bool is_fetch(std::string_view type);

/// Imports the blocks of a ProgramDesc: operators one by one, `while` and conditional blocks as regions.
class ProgramImporter {
 public:
  explicit ProgramImporter(const ProgramBlocks& blocks) : blocks_(blocks) {}

  /// The operators of scope.block(), in order. Throws Error that names the operator.
  void import_block(ProgramScope& scope, int depth);

  /// What the program fetches, in order.
  std::vector<std::pair<std::string, ValueId>> outputs() const;

 private:
  /// A conditional_block whose results nothing has asked for yet.
  struct Conditional {
    ValueId condition = kNoValue;
    ClosedRegion region;
    std::vector<std::string_view> names;  ///< of the region's outputs
    std::vector<ValueId> previous;        ///< what the names stood for before, or kNoValue
    std::string node_name;
    std::string_view name_scope;
  };
  struct Fetch {
    int64_t col = 0;
    std::string name;
    ValueId value = kNoValue;
  };

  struct Pair;
  /// Results of select_input operators of the block at hand that an `if` made already gives.
  using Selections = std::unordered_map<const programdesc::Operator*, ValueId>;

  void import_operator(ProgramScope& scope, size_t position, int depth, Selections& selections);
  void import_fetch(ProgramScope& scope, const programdesc::Operator& op);
  void import_while(ProgramScope& scope, const programdesc::Operator& op, std::string name, int depth);
  /// In program_recurrent.cc.
  void import_recurrent(ProgramScope& scope, const programdesc::Operator& op, std::string name, int depth);
  void import_conditional(ProgramScope& scope, const programdesc::Operator& op, std::string name, int depth);
  bool import_selection(ProgramScope& scope, const programdesc::Operator& op, size_t position, Selections& selections);
  void make_if(ProgramScope& scope, const Conditional& c);
  bool pair_up(ProgramScope& scope, size_t position, Selections& selections);

  const ProgramBlocks& blocks_;
  std::vector<std::shared_ptr<Conditional>> conditionals_;
  std::unordered_map<const programdesc::Operator*, std::vector<Fact>> loop_types_;  ///< as of the last import of a loop
  int branch_retries_ = 0;
  std::vector<Fetch> fetches_;
};

}  // namespace coracle::internal
