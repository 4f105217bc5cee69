// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/lowering.h"

namespace coracle::internal {

/// Regions nest at most this deep: each level is inferred several times over.
inline constexpr int kMaxRegionDepth = 8;

/// What both formats share of Lowering: naming nodes and the translation port by port.
class OperatorLowering : public Lowering {
 public:
  ValueId add(Op op, const PortValues& inputs) override;
  NodeId add_node(Op op, const PortValues& inputs, PortCounts output_counts = {}) override;
  void lower_by_ports(const OpSchema& schema) override;
  PortValues ports_of(const OpSchema& schema) override;

 protected:
  /// `name` is the first node's; more nodes of one operator get a number.
  explicit OperatorLowering(std::string name) : name_(std::move(name)) {}

  /// The values the file gives an input port, without lifted attributes. Lists of numbers for one operand are joined.
  virtual std::vector<ValueId> port_values(const OpSchema& schema, size_t port) = 0;
  /// How many values the file takes from an output port; 0 for an optional one that nobody reads.
  virtual int outputs_wanted(const OpSchema& schema, size_t port) = 0;
  virtual void bind_port(const OpSchema& schema, size_t port, int i, ValueId value) = 0;

  /// Runs `schema.lower`. Throws Error where an operand is absent that an operator that exists in files only cannot be
  /// without.
  void lower_by_rule(const OpSchema& schema);
  /// Throws Error where an operand that is absent would be a result.
  void check_result(std::string_view slot, ValueId value) const;

  /// One-element integer tensors as one value.
  ValueId join_integers(const std::vector<ValueId>& values);

 private:
  std::string name_;
  int nodes_ = 0;
};

/// `value` as elements of `dtype`: 0-D for a number, 1-D for a list. Throws Error for strings and types.
Tensor tensor_of(const AttributeValue& value, DType dtype);

/// An operator of that name with attributes as a file would give them.
Op make_op(const char* name, const AttributeMap& attributes);

/// A value to stand where a program reads what nothing has written: no elements, or an empty tensor array.
ValueId add_undefined(Graph& graph, const Fact& like);

/// True if `no` is logical_not of `yes`.
bool is_negation(const Graph& graph, ValueId yes, ValueId no);

/// The value that a chain of casts starts from.
ValueId without_casts(const Graph& graph, ValueId value);

}  // namespace coracle::internal
