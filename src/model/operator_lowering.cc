// SPDX-License-Identifier: Apache-2.0
#include "model/operator_lowering.h"

#include "base/printable.h"
#include "ops/creation/int_array.h"

namespace coracle::internal {

ValueId OperatorLowering::add(Op op, const PortValues& inputs) {
  return graph().node(add_node(std::move(op), inputs)).outputs.at(0);
}

NodeId OperatorLowering::add_node(Op op, const PortValues& inputs, PortCounts output_counts) {
  std::string name = nodes_ == 0 ? name_ : text(name_, ".", nodes_);
  ++nodes_;
  return graph().add_node(std::move(op), inputs, std::move(output_counts), std::move(name));
}

ValueId OperatorLowering::join_integers(const std::vector<ValueId>& values) { return add(IntArray{}, {values}); }

void OperatorLowering::lower_by_rule(const OpSchema& schema) {
  for (const Port& port : schema.inputs) {
    const bool needed = schema.infer == nullptr && port.kind == Port::Kind::kOne && !port.shape_input;
    require(!needed || has(port.slot), "operator ", in_quotes(type()), " has no operand at ", port.slot);
  }
  schema.lower(*this);
}

void OperatorLowering::check_result(std::string_view slot, ValueId value) const {
  require(value != kNoValue, "operator ", in_quotes(type()), " has no operand that its result at ", slot, " needs");
}

PortValues OperatorLowering::ports_of(const OpSchema& schema) {
  PortValues ports(schema.inputs.size());
  for (size_t p = 0; p < schema.inputs.size(); ++p) {
    const Port& port = schema.inputs[p];
    ports[p] = port_values(schema, p);
    std::erase(ports[p], kNoValue);
    if (ports[p].empty() && !port.attribute.empty()) {
      const AttributeValue* value = attributes().find(is_pir() ? port.name : std::string_view(port.attribute));
      if (value != nullptr) ports[p] = {constant(tensor_of(*value, port.attribute_dtype))};
    }
  }
  return ports;
}

void OperatorLowering::lower_by_ports(const OpSchema& schema) {
  const PortValues inputs = ports_of(schema);
  PortCounts counts;
  for (size_t p = 0; p < schema.outputs.size(); ++p) {
    const bool one = schema.outputs[p].kind == Port::Kind::kOne;
    counts.push_back(one ? 1 : outputs_wanted(schema, p));
  }
  const NodeId node = add_node(read_op(schema), inputs, counts);
  size_t flat = 0;
  for (size_t p = 0; p < schema.outputs.size(); ++p) {
    for (int i = 0; i < counts[p]; ++i) bind_port(schema, p, i, graph().node(node).outputs[flat++]);
  }
}

namespace {

int64_t to_integer(double value) {
  require(value >= -9.2e18 && value <= 9.2e18, "the attribute value ", value, " is not an integer");
  return static_cast<int64_t>(value);
}

}  // namespace

Tensor tensor_of(const AttributeValue& value, DType dtype) {
  AttributeMap map;
  map.set("value", value);
  const bool list = std::holds_alternative<Ints>(value) || std::holds_alternative<Floats>(value);
  const Floats reals = map.get<Floats>("value");
  // Integers go their own way: a double does not hold all of them.
  const bool integers = !std::holds_alternative<Floats>(value) && !std::holds_alternative<double>(value);
  const Ints whole = integers ? map.get<Ints>("value") : Ints();
  const Shape shape = list ? Shape{static_cast<int64_t>(reals.size())} : Shape{};
  Tensor tensor = Tensor::make(dtype, shape);
  visit_real(dtype, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    for (size_t i = 0; i < reals.size(); ++i) {
      if constexpr (std::is_integral_v<T>) {
        tensor.data<T>()[i] = integers ? static_cast<T>(whole[i]) : static_cast<T>(to_integer(reals[i]));
      } else {
        tensor.data<T>()[i] = static_cast<T>(static_cast<float>(reals[i]));
        if constexpr (std::is_same_v<T, double>) tensor.data<T>()[i] = reals[i];
      }
    }
  });
  return tensor;
}

Op make_op(const char* name, const AttributeMap& attributes) {
  const OpSchema* schema = find_op(name);
  require(schema != nullptr, ErrorCode::kUnsupported, "there is no operator '", name, "'");
  std::shared_ptr<void> fields = schema->make(nullptr);
  AttributeReader reader(attributes, /*legacy=*/false);
  schema->visit(fields.get(), reader);
  return {schema, std::move(fields)};
}

ValueId add_undefined(Graph& graph, const Fact& like) {
  if (like.is_array) {
    AttributeMap attributes;
    attributes.set("dtype", like.dtype);
    return graph.add(make_op("create_array", attributes), {});
  }
  // Rank and known dimensions are kept, so that what is joined with this value loses as little as possible.
  Shape shape{0};
  if (like.shape.rank_known() && like.shape.rank() > 0) {
    shape = like.shape;
    for (int64_t& d : shape) d = d < 0 ? 0 : d;
    shape[0] = 0;
  }
  return graph.add_constant(Tensor::make(like.dtype, shape));
}

namespace {

/// The operand of a value's producer if that is the operator `name`, else kNoValue.
ValueId operand_of(const Graph& graph, ValueId value, std::string_view name) {
  const NodeId producer = graph.value(value).producer;
  if (producer == kNoNode || graph.node(producer).op.name() != name) return kNoValue;
  return graph.node(producer).input(0);
}

}  // namespace

bool is_negation(const Graph& graph, ValueId yes, ValueId no) {
  return without_casts(graph, operand_of(graph, no, "logical_not")) == yes;
}

ValueId without_casts(const Graph& graph, ValueId value) {
  while (value != kNoValue) {
    const ValueId from = operand_of(graph, value, "cast");
    if (from == kNoValue) break;
    value = from;
  }
  return value;
}

}  // namespace coracle::internal
