// SPDX-License-Identifier: Apache-2.0
#include "graph/custom_operator.h"

#include <set>
#include <type_traits>
#include <utility>

#include "base/printable.h"

namespace coracle::internal {
namespace {

const CustomAttributes& custom(const void* attributes) { return *static_cast<const CustomAttributes*>(attributes); }

std::shared_ptr<void> make_attributes(const OpSchema& schema, const void* from) {
  if (from != nullptr) return make_opaque(custom(from));
  const auto& op = static_cast<const CustomOperator&>(schema);
  CustomAttributes attributes{.op = op.shared_from_this(), .values = {}};
  for (const CustomAttribute& a : op.definition().attributes) attributes.values.push_back(a.missing);
  return make_opaque(std::move(attributes));
}

void visit_attributes(void* attributes, AttributeVisitor& visitor) {
  auto& of_node = *static_cast<CustomAttributes*>(attributes);
  const std::vector<CustomAttribute>& declared = of_node.op->definition().attributes;
  for (size_t i = 0; i < declared.size(); ++i) {
    std::visit(
        [&](auto& field) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, NeverHeld>) {
            visitor(declared[i].name.c_str(), field);
          }
        },
        of_node.values[i]);
  }
}

/// A NaN is equal to none: nodes that have one stay apart.
bool equal_attributes(const void* a, const void* b) {
  const CustomAttributes& left = custom(a);
  const CustomAttributes& right = custom(b);
  if (left.op != right.op) return false;
  for (size_t i = 0; i < left.values.size(); ++i) {
    const bool same = std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, NeverHeld>) {
            return true;
          } else {
            const T* other = std::get_if<T>(&right.values[i]);
            return other != nullptr && *other == value;
          }
        },
        left.values[i]);
    if (!same) return false;
  }
  return true;
}

void infer_custom(const void* attributes, InferArgs& args) {
  const CustomAttributes& of_node = custom(attributes);
  of_node.op->definition().infer(of_node, args);
}

void run_custom(const void* attributes, ReferenceArgs& args) {
  const CustomAttributes& of_node = custom(attributes);
  of_node.op->definition().run(of_node, args);
}

LodRule lod_of_first(const void* /*attributes*/) { return LodRule::kFirst; }
LodRule no_lod(const void* /*attributes*/) { return LodRule::kNone; }

template <class List>
std::vector<Port> ports_of(const List& list) {
  std::vector<Port> ports;
  for (const CustomPort& port : list) {
    ports.push_back({.name = port.name.c_str(), .kind = port.kind, .slot = in_files(port.name.c_str())});
  }
  return ports;
}

template <class List>
void check_names(const std::string& op, const char* what, const List& list) {
  std::set<std::string_view> names;
  for (const auto& item : list) {
    require(!item.name.empty(), ErrorCode::kInvalidArgument, "operator ", in_quotes(op), " has an ", what,
            " without a name");
    require(names.insert(item.name).second, ErrorCode::kInvalidArgument, "operator ", in_quotes(op), " has two ", what,
            "s of the name ", in_quotes(item.name));
  }
}

}  // namespace

const AttributeValue* CustomAttributes::find(std::string_view name) const {
  const std::vector<CustomAttribute>& declared = op->definition().attributes;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (declared[i].name == name) return &values[i];
  }
  return nullptr;
}

std::shared_ptr<const CustomOperator> CustomOperator::make(CustomDefinition definition) {
  require(!definition.name.empty(), ErrorCode::kInvalidArgument, "an operator needs a name");
  check_names(definition.name, "input", definition.inputs);
  check_names(definition.name, "output", definition.outputs);
  check_names(definition.name, "attribute", definition.attributes);
  require(!definition.outputs.empty(), ErrorCode::kInvalidArgument, "operator ", in_quotes(definition.name),
          " needs an output");
  return std::shared_ptr<const CustomOperator>(new CustomOperator(std::move(definition)));
}

CustomOperator::CustomOperator(CustomDefinition definition)
    : OpSchema{},
      definition_(std::move(definition)),
      input_ports_(ports_of(definition_.inputs)),
      output_ports_(ports_of(definition_.outputs)) {
  name = definition_.name.c_str();
  inputs = input_ports_;
  outputs = output_ports_;
  pure = definition_.pure;
  of_user = true;
  lod = definition_.inputs.empty() ? no_lod : lod_of_first;
  make_attributes = coracle::internal::make_attributes;
  visit = visit_attributes;
  equal = equal_attributes;
  infer = infer_custom;
  reference = run_custom;
}

}  // namespace coracle::internal
