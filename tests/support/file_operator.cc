// SPDX-License-Identifier: Apache-2.0
#include "support/file_operator.h"

#include <deque>

#include "model/pir_lowering.h"
#include "model/program_lowering.h"

namespace coracle::internal::test {
namespace {

std::vector<ValueId> lower_of_program(Graph& graph, const OpSchema& schema, const AttributeMap& attributes,
                                      const PortValues& inputs, const PortCounts& output_counts) {
  constexpr int64_t kVersion = 2006002;
  std::deque<std::string> names;  // which keep their places: the program points to them
  ProgramScope scope(graph, 0, nullptr);
  programdesc::Program program;
  program.version = kVersion;
  programdesc::Operator& op = program.blocks.emplace_back().operators.emplace_back();
  op.type = schema.legacy.front();
  op.attributes = attributes;
  for (size_t p = 0; p < inputs.size(); ++p) {
    programdesc::Slot& slot = op.inputs.emplace_back();
    slot.name = input_ports(schema)[p].slot;
    for (ValueId value : inputs[p]) {
      slot.variables.push_back(names.emplace_back(text("x", names.size())));
      scope.bind(slot.variables.back(), value);
    }
  }
  std::vector<std::string_view> results;
  for (size_t p = 0; p < output_counts.size(); ++p) {
    programdesc::Slot& slot = op.outputs.emplace_back();
    slot.name = output_ports(schema)[p].slot;
    for (int i = 0; i < output_counts[p]; ++i) {
      slot.variables.push_back(names.emplace_back(text("y", names.size())));
      results.push_back(slot.variables.back());
    }
  }
  const OperatorSet operators;
  const ProgramBlocks blocks(program, operators);
  ProgramLowering(blocks, scope, op, "node").lower();
  std::vector<ValueId> values;
  for (std::string_view name : results) values.push_back(scope.find(name));
  return values;
}

std::vector<ValueId> lower_of_pir(Graph& graph, const OpSchema& schema, const AttributeMap& attributes,
                                  const PortValues& inputs, const PortCounts& output_counts) {
  PirScope scope(graph, nullptr);
  pir::Operation op;
  op.dialect = "pd_op";
  op.name = schema.name;
  op.attributes = attributes;
  int64_t id = 0;
  for (size_t p = 0; p < inputs.size(); ++p) {
    const bool list = input_ports(schema)[p].kind == Port::Kind::kList;
    op.operands.push_back(inputs[p].empty() && !list ? 0 : ++id);
    if (op.operands.back() != 0) scope.bind(id, PirValue{.values = inputs[p], .is_list = list});
  }
  std::unordered_set<int64_t> used(op.operands.begin(), op.operands.end());
  std::vector<int64_t> results;
  for (int count : output_counts) {
    op.results.push_back({.id = count == 0 ? 0 : ++id, .type = {}});
    if (count > 0) results.push_back(id);
  }
  used.insert(results.begin(), results.end());
  const OperatorSet operators;
  PirLowering(scope, op, used, operators, "node").lower();
  std::vector<ValueId> values;
  for (int64_t result : results) {
    for (ValueId value : scope.find(result).values) values.push_back(value);
  }
  return values;
}

class ToMap : public AttributeVisitor {
 public:
  ToMap(AttributeMap& map, bool legacy) : map_(map), legacy_(legacy) {}

 protected:
  void visit(std::string_view name, std::string_view legacy, AttributeRef field) override {
    const std::string key(legacy_ ? legacy : name);
    std::visit([&](auto* value) { set(key, *value); }, field);
  }

 private:
  template <class T>
  void set(const std::string& key, const T& value) {
    map_.set(key, value);
  }
  void set(const std::string& key, const std::optional<DType>& value) {
    if (value) map_.set(key, *value);
  }
  void set(const std::string& key, const EnumRef& value) {
    map_.set(key, std::string(value.names[static_cast<size_t>(value.value)]));
  }

  AttributeMap& map_;
  bool legacy_;
};

constexpr Port kUsualInputs[] = {in("x", "X"), optional_in("y", "Y")};
constexpr Port kUsualOutputs[] = {out("out", "Out")};

bool lists_no_ports(const OpSchema& schema) {
  return schema.infer == nullptr && schema.inputs.empty() && schema.outputs.empty();
}

}  // namespace

std::span<const Port> input_ports(const OpSchema& schema) {
  return lists_no_ports(schema) ? std::span<const Port>(kUsualInputs) : schema.inputs;
}

std::span<const Port> output_ports(const OpSchema& schema) {
  return lists_no_ports(schema) ? std::span<const Port>(kUsualOutputs) : schema.outputs;
}

AttributeMap attributes_of_file(const OpSchema& schema, void* attributes) {
  AttributeMap map;
  ToMap visitor(map, !schema.legacy.empty());
  schema.visit(attributes, visitor);
  return map;
}

std::vector<ValueId> lower_from_file(Graph& graph, const OpSchema& schema, const AttributeMap& attributes,
                                     const PortValues& inputs, const PortCounts& output_counts) {
  const auto lower = schema.legacy.empty() ? lower_of_pir : lower_of_program;
  std::vector<ValueId> values = lower(graph, schema, attributes, inputs, output_counts);
  std::erase(values, kNoValue);
  return values;
}

}  // namespace coracle::internal::test
