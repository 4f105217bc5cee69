// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <stdexcept>

#include "graph/op.h"
#include "hostile/advisories.h"
#include "support/pir_writer.h"
#include "support/program_writer.h"

namespace coracle::internal::test {
namespace {

struct ElementType {
  int var_type;
  const char* pir;
};
ElementType element_type(DType dtype) {
  switch (dtype) {
    case DType::kInt32: return {kInt32, "t_i32"};
    case DType::kInt64: return {kInt64, "t_i64"};
    case DType::kFloat32: return {kFloat32, "t_f32"};
    case DType::kFloat64: return {6, "t_f64"};
    case DType::kComplex64: return {23, "t_c64"};
    default: throw std::logic_error("no advisory has such elements");
  }
}

Dims dims_of(const Content& content) { return {content.shape.begin(), content.shape.end()}; }

const OpSchema& schema_of(const Advisory& advisory) {
  const OpSchema* schema = find_op(advisory.op);
  if (schema == nullptr) throw std::logic_error(std::string("there is no operator ") + advisory.op);
  return *schema;
}

/// Results that the model gives: those with answers.
size_t result_count(const Advisory& advisory) {
  return advisory.answers.empty() ? schema_of(advisory).outputs.size() : advisory.answers.size();
}

/// What the file says of result `i`: its type, or that of the first operand where there is no answer.
const Content& declared(const Advisory& advisory, size_t i) {
  return i < advisory.answers.size() ? advisory.answers[i] : advisory.operands.front();
}

/// ProgramDesc names of attributes by their PIR names.
class LegacyNames : public AttributeVisitor {
 public:
  std::map<std::string, std::string, std::less<>> names;

 protected:
  void visit(std::string_view name, std::string_view legacy, AttributeRef /*field*/) override {
    names.emplace(name, legacy);
  }
};

void add_attribute(OpWriter& op, const std::string& name, const AttributeValue& value) {
  if (const auto* v = std::get_if<bool>(&value)) op.boolean(name, *v);
  if (const auto* v = std::get_if<int64_t>(&value)) op.long_integer(name, *v);
  if (const auto* v = std::get_if<double>(&value)) op.real(name, static_cast<float>(*v));
  if (const auto* v = std::get_if<std::string>(&value)) op.string(name, *v);
  if (const auto* v = std::get_if<Ints>(&value)) op.integers(name, *v);
  if (const auto* v = std::get_if<DType>(&value)) op.integer(name, element_type(*v).var_type);
}

std::string pir_attribute(const std::string& name, const AttributeValue& value) {
  if (const auto* v = std::get_if<bool>(&value)) return pir::attribute(name, "0.a_bool", *v ? "true" : "false");
  if (const auto* v = std::get_if<int64_t>(&value)) return pir::attribute(name, "0.a_i64", std::to_string(*v));
  if (const auto* v = std::get_if<double>(&value)) return pir::attribute(name, "0.a_f64", std::to_string(*v));
  if (const auto* v = std::get_if<std::string>(&value)) return pir::string_attribute(name, *v);
  if (const auto* v = std::get_if<Ints>(&value)) return pir::ints_attribute(name, *v, "0.a_i64");
  const auto* v = std::get_if<DType>(&value);
  return pir::attribute(name, "1.a_dtype", "\"" + std::string(name_of(*v)) + "\"");
}

}  // namespace

std::string program_of(const Advisory& advisory) {
  const OpSchema& schema = schema_of(advisory);
  // An operator without a ProgramDesc type of its own is a form of the one that its name begins with.
  OpWriter op(schema.legacy.empty() ? "repeat_interleave" : schema.legacy.front());
  BlockWriter block;
  for (size_t i = 0; i < advisory.operands.size(); ++i) {
    const Content& content = advisory.operands[i];
    const Port& port = schema.inputs[i];
    if (port.slot.empty()) {
      op.integer(port.attribute, static_cast<int64_t>(content.values.front()));
      continue;
    }
    const std::string name = "in" + std::to_string(i);
    add_feed(block, name, element_type(content.dtype).var_type, dims_of(content), static_cast<int>(i));
    op.in(port.slot, {name});
  }
  LegacyNames legacy;
  schema.visit(schema.make(nullptr).get(), legacy);
  for (const auto& [name, value] : advisory.attributes) add_attribute(op, legacy.names.at(name), value);
  for (size_t i = 0; i < schema.outputs.size(); ++i) {
    const Content& result = declared(advisory, i);
    const std::string name = "out" + std::to_string(i);
    block.variables.push_back(variable(name, element_type(result.dtype).var_type, dims_of(result)));
    op.out(schema.outputs[i].slot, {name});
  }
  block.operators.push_back(op);
  for (size_t i = 0; i < result_count(advisory); ++i) add_fetch(block, "out" + std::to_string(i), static_cast<int>(i));
  return program_file({block});
}

std::string pir_of(const Advisory& advisory) {
  const OpSchema& schema = schema_of(advisory);
  std::vector<std::string> operations;
  std::vector<int64_t> operands;
  int64_t id = 0;
  const auto type = [](const Content& c) { return pir::tensor(element_type(c.dtype).pir, dims_of(c)); };
  for (const Content& content : advisory.operands) {
    operands.push_back(++id);
    operations.push_back(pir::data(id, "in" + std::to_string(id), type(content)));
  }
  std::vector<std::string> attributes;
  for (const auto& [name, value] : advisory.attributes) attributes.push_back(pir_attribute(name, value));
  std::vector<pir::Result> results;
  for (size_t i = 0; i < schema.outputs.size(); ++i) results.push_back({++id, type(declared(advisory, i))});
  operations.push_back(pir::operation(std::string("1.") + schema.name, operands, results, attributes));
  for (size_t i = 0; i < result_count(advisory); ++i) {
    operations.push_back(pir::fetch(results[i].id, ++id, static_cast<int>(i), results[i].type));
  }
  return pir::program_file(operations);
}

}  // namespace coracle::internal::test
