// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace coracle::internal {

/// One operator of a file on its way into a graph. The readers in src/model provide it; an operator's optional
/// `static void lower(Lowering&)` uses it where port-by-port translation is not enough (old forms, several nodes).
/// Slots are ProgramDesc's names; for PIR files operand i is found under the slot of port i.
class Lowering {
 public:
  virtual ~Lowering() = default;

  virtual std::string_view type() const = 0;  ///< operator type as in the file (PIR: without dialect and '_')
  virtual bool is_pir() const = 0;
  virtual const AttributeMap& attributes() const = 0;
  /// Paddle version that wrote the program: major * 1000000 + minor * 1000 + patch, 0 if not stated.
  virtual int64_t program_version() const = 0;
  /// Revision of this operator in the program's op_version_map (0 where absent).
  virtual int64_t op_version() const = 0;

  virtual Graph& graph() = 0;
  /// Values at an input slot; kNoValue entries stand for variables that nothing has written.
  virtual std::vector<ValueId> inputs(std::string_view slot) const = 0;
  virtual bool has_output(std::string_view slot) const = 0;
  virtual int output_count(std::string_view slot) const = 0;
  /// The type the file declares for an output variable (dims may be unknown).
  virtual Fact declared_output(std::string_view slot, int i = 0) const = 0;
  /// The variable at an output slot now stands for `value`.
  virtual void bind(std::string_view slot, ValueId value, int i = 0) = 0;

  /// The value at a slot, or kNoValue.
  ValueId input(std::string_view slot, int i = 0) const {
    const std::vector<ValueId> all = inputs(slot);
    return i < static_cast<int>(all.size()) ? all[static_cast<size_t>(i)] : kNoValue;
  }
  bool has(std::string_view slot) const { return input(slot) != kNoValue; }
  const Fact& fact(ValueId v) { return graph().fact(v); }
  template <class T>
  T attribute(std::string_view name, T missing = T{}) const {
    return attributes().get<T>(name, missing);
  }

  /// Adds a node named after the file's operator; returns its first output.
  virtual ValueId add(Op op, const PortValues& inputs) = 0;
  /// The general form: all outputs of `op` with `output_counts` values per port.
  virtual NodeId add_node(Op op, const PortValues& inputs, PortCounts output_counts = {}) = 0;
  ValueId constant(Tensor tensor) { return graph().add_constant(std::move(tensor)); }

  /// What happens without a custom `lower`: ports of `schema` are found by slot, lifted attributes become constants,
  /// list slots become one operand, outputs are bound port by port.
  virtual void lower_by_ports(const OpSchema& schema) = 0;
  /// The values that lower_by_ports would give each input port.
  virtual PortValues ports_of(const OpSchema& schema) = 0;
  /// `schema` with its attributes read from the file.
  Op read_op(const OpSchema& schema) const {
    std::shared_ptr<void> attributes_of_op = schema.make(nullptr);
    AttributeReader reader(attributes(), !is_pir());
    schema.visit(attributes_of_op.get(), reader);
    return {&schema, std::move(attributes_of_op)};
  }
  template <OperatorStruct T>
  T read() const {
    return *read_op(kOpSchema<T>).template as<T>();
  }
};

}  // namespace coracle::internal
