// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op.h"

/// Operators that users of the library define: each has a schema of its own, which says what its definition does, and
/// is in all else an operator like any other.
namespace coracle::internal {

class CustomOperator;

/// The attributes of a node: a value for each that the operator declares, in that order.
struct CustomAttributes {
  std::shared_ptr<const CustomOperator> op;
  std::vector<AttributeValue> values;

  /// The value of a declared attribute, or null.
  const AttributeValue* find(std::string_view name) const;
};

struct CustomPort {
  std::string name;  ///< of PIR and of ProgramDesc
  Port::Kind kind = Port::Kind::kOne;
};

struct CustomAttribute {
  std::string name;
  AttributeValue missing;  ///< its value where the model gives none; says its type, too
};

struct CustomDefinition {
  std::string name;
  std::vector<CustomPort> inputs;
  std::vector<CustomPort> outputs;
  std::vector<CustomAttribute> attributes;
  bool pure = true;  ///< see OpSchema
  std::function<void(const CustomAttributes& attributes, InferArgs& args)> infer;
  std::function<void(const CustomAttributes& attributes, ReferenceArgs& args)> run;
  std::shared_ptr<void> user;  ///< whose functions these are, for who made the definition
};

/// Immutable; lives as long as an operator of some graph is it.
class CustomOperator : public OpSchema, public std::enable_shared_from_this<CustomOperator> {
 public:
  /// Throws Error where names are missing or there twice.
  static std::shared_ptr<const CustomOperator> make(CustomDefinition definition);
  CustomOperator(const CustomOperator&) = delete;
  CustomOperator& operator=(const CustomOperator&) = delete;
  ~CustomOperator() = default;

  const CustomDefinition& definition() const { return definition_; }

 private:
  explicit CustomOperator(CustomDefinition definition);

  const CustomDefinition definition_;
  std::vector<Port> input_ports_;
  std::vector<Port> output_ports_;
};

}  // namespace coracle::internal
