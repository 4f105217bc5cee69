// SPDX-License-Identifier: Apache-2.0
#include "blocks/half_blocks.h"

#include <algorithm>

#include "plan/upcast.h"

namespace coracle::internal {

bool has_half(const Graph& graph, const Node& node) {
  const auto half = [&](ValueId v) { return is_half(graph.fact(v).dtype); };
  return std::any_of(node.inputs.begin(), node.inputs.end(), half) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), half);
}

Tensor in_float32(const Tensor& tensor) {
  if (!is_half(tensor.dtype())) return tensor;
  Tensor upcast = Tensor::make(DType::kFloat32, tensor.shape());
  visit_float(tensor.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const std::span<const T> from = tensor.values<T>();
    std::transform(from.begin(), from.end(), upcast.data<float>(), [](T v) { return static_cast<float>(v); });
  });
  upcast.set_lod(tensor.lod());
  return upcast;
}

std::string refusal_in_float32(const Engine& engine, const Graph& graph, const Node& node) {
  std::vector<Fact> in;
  std::vector<Fact> out;
  for (ValueId v : node.inputs) in.push_back(graph.fact(v));
  for (ValueId v : node.outputs) out.push_back(graph.fact(v));
  const auto upcast_value = [&](size_t i) { return std::make_shared<const Tensor>(in_float32(*in[i].value)); };
  if (!upcast(graph.context(), node, in, out, upcast_value))
    return "it is float16 or bfloat16 by itself, not by its operands";
  Graph alone;
  const WorkOnGraph work(alone, graph.context());
  PortValues ports;
  size_t flat = 0;
  for (const int count : node.input_counts) {
    ports.emplace_back();
    for (int i = 0; i < count; ++i, ++flat) {
      const std::string& name = graph.value(node.inputs[flat]).name;
      ports.back().push_back(in[flat].value != nullptr ? alone.add_constant(*in[flat].value, name)
                                                       : alone.add_input(name, in[flat]));
    }
  }
  const NodeId id = alone.add_node(node.op, ports, node.output_counts, node.name);
  for (ValueId v : alone.node(id).outputs) alone.add_output(v, "");
  return engine.refusal(alone, alone.node(id));
}

}  // namespace coracle::internal
