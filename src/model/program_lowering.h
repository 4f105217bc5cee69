// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/attribute_reads.h"
#include "model/operator_lowering.h"
#include "model/program_scope.h"

namespace coracle::internal {

/// The name that stands for "no tensor" in argument lists.
inline constexpr std::string_view kEmptyVariable = "@EMPTY@";

/// The variables at a slot; none if there is no such slot.
std::span<const std::string_view> variables_at(const std::vector<programdesc::Slot>& slots, std::string_view name);
/// The first of them, or an empty name.
std::string_view single_variable(const std::vector<programdesc::Slot>& slots, std::string_view name);

/// The type a block declares for a variable (float32 of unknown rank where it declares nothing).
Fact declared_fact(const programdesc::Variable* variable);

/// One operator of a ProgramDesc block.
class ProgramLowering : public OperatorLowering {
 public:
  ProgramLowering(const ProgramBlocks& blocks, ProgramScope& scope, const programdesc::Operator& op, std::string name)
      : OperatorLowering(std::move(name)), blocks_(blocks), scope_(scope), op_(op), attributes_(op.attributes) {}

  /// Adds the operator to the scope's graph.
  void lower();

  std::string_view type() const override { return op_.type; }
  bool is_pir() const override { return false; }
  const AttributeMap& attributes() const override { return attributes_; }
  int64_t program_version() const override { return blocks_.program().version.value_or(0); }
  int64_t op_version() const override;
  Graph& graph() override { return scope_.graph(); }
  std::vector<ValueId> inputs(std::string_view slot) const override;
  bool has_output(std::string_view slot) const override { return output_count(slot) > 0; }
  int output_count(std::string_view slot) const override;
  Fact declared_output(std::string_view slot, int i) const override;
  void bind(std::string_view slot, ValueId value, int i) override;

 protected:
  std::vector<ValueId> port_values(const OpSchema& schema, size_t port) override;
  int outputs_wanted(const OpSchema& schema, size_t port) override;
  void bind_port(const OpSchema& schema, size_t port, int i, ValueId value) override;

 private:
  void fix_variable_attributes(const OpSchema& schema);
  void append_steps(const OpSchema& schema, const AttributeReads& reads);
  ValueId value_of(std::string_view name) const;
  std::vector<ValueId> values_of(std::span<const std::string_view> variables) const;

  const ProgramBlocks& blocks_;
  ProgramScope& scope_;
  const programdesc::Operator& op_;
  AttributeMap attributes_;
};

}  // namespace coracle::internal
