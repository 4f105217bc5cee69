// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "graph/operator_set.h"
#include "model/operator_lowering.h"
#include "model/pir.h"

namespace coracle::internal {

/// What a value of a PIR program stands for: one value, or a list of them.
struct PirValue {
  std::vector<ValueId> values;
  bool is_list = false;
};

/// The values of one region by id. In a nested region, values of the outer scope become inputs of the region (constants
/// are taken over) when first used.
class PirScope {
 public:
  PirScope(Graph& graph, PirScope* outer)
      : graph_(graph), work_(graph, outer == nullptr ? graph.context() : outer->graph_.context()), outer_(outer) {}

  Graph& graph() { return graph_; }
  PirScope* outer() { return outer_; }
  /// Throws Error for an id that nothing defines; id 0 is no value.
  PirValue find(int64_t id);
  /// What an id stands for in this region, without looking further: an optional result that nothing uses has no values.
  std::span<const ValueId> bound(int64_t id) const;
  void bind(int64_t id, PirValue value);
  void bind(int64_t id, ValueId value) { bind(id, PirValue{.values = {value}, .is_list = false}); }
  /// A parameter that becomes a constant when first used.
  void bind_parameter(int64_t id, std::string_view name, Tensor tensor);
  /// One that the file declares without storing it: zeros of that type.
  void bind_zeros(int64_t id, std::string_view name, Fact type);

  const std::vector<ValueId>& captured() const { return captured_; }
  /// From now on nothing is taken as known of the types of captured values.
  void know_nothing() { blind_ = true; }

 private:
  struct Parameter {
    std::string_view name;
    Tensor tensor;  ///< none: zeros of type `zeros`
    Fact zeros;
  };

  ValueId capture(ValueId outer);

  Graph& graph_;
  const WorkOnGraph work_;  // a region goes by the context of the graph around it
  PirScope* outer_;
  bool blind_ = false;
  std::unordered_map<int64_t, PirValue> values_;
  std::unordered_map<int64_t, Parameter> parameters_;
  std::unordered_map<int32_t, ValueId> inner_of_;
  std::vector<ValueId> captured_;
};

/// The type of a value as the file declares it.
Fact declared_fact(const pir::Type& type);

/// One operation of a PIR program.
class PirLowering : public OperatorLowering {
 public:
  /// `used` holds the ids of all values that any operation takes.
  PirLowering(PirScope& scope, const pir::Operation& op, const std::unordered_set<int64_t>& used,
              const OperatorSet& operators, std::string name)
      : OperatorLowering(std::move(name)), scope_(scope), op_(op), used_(used), operators_(operators) {}

  /// Adds the operation to the scope's graph.
  void lower();

  std::string_view type() const override { return op_.name; }
  bool is_pir() const override { return true; }
  const AttributeMap& attributes() const override { return op_.attributes; }
  int64_t program_version() const override { return 3000000; }
  int64_t op_version() const override { return 0; }
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
  const pir::Definition* result(std::string_view slot) const;
  void bind_result(const pir::Definition& definition, ValueId value, int i);

  PirScope& scope_;
  const pir::Operation& op_;
  const std::unordered_set<int64_t>& used_;
  const OperatorSet& operators_;
  const OpSchema* row_ = nullptr;
};

}  // namespace coracle::internal
