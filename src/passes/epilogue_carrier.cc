// SPDX-License-Identifier: Apache-2.0
#include "passes/epilogue_carrier.h"

#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/matmul/linear.h"

namespace coracle {
namespace {

template <class T>
Op with_steps(const Op& op, const std::vector<EpilogueStep>& steps) {
  T changed = *op.as<T>();
  changed.epilogue = steps;
  return changed;
}

}  // namespace

std::optional<EpilogueCarrier> EpilogueCarrier::of(const Graph& graph, const std::vector<int>& uses, ValueId value) {
  const Value& v = graph.value(value);
  if (v.producer == kNoNode || uses[index(value)] != 1) return std::nullopt;
  return of_node(graph, v.producer);
}

std::optional<EpilogueCarrier> EpilogueCarrier::of_node(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  EpilogueCarrier c;
  c.id = id;
  if (const auto* conv = node.op.as<Conv2dFused>()) {
    c.epilogue = conv;
    c.channel_axis = conv->data_format == DataFormat::kNhwc ? 3 : 1;
    c.channels = graph.fact(node.input(1)).shape[0];
  } else if (const auto* transposed = node.op.as<Conv2dTransposeFused>()) {
    c.epilogue = transposed;
    c.channel_axis = transposed->data_format == DataFormat::kNhwc ? 3 : 1;
    c.filter_axis = 1;
    c.filter_groups = transposed->groups;
    c.channels = graph.fact(node.input(1)).shape[1] * transposed->groups;
  } else if (const auto* linear = node.op.as<Linear>()) {
    const Shape& result = graph.fact(node.output(0)).shape;
    if (!result.rank_known()) return std::nullopt;
    c.epilogue = linear;
    c.channel_axis = result.rank() - 1;
    c.filter_axis = linear->transpose_w ? 0 : 1;
    c.channels = graph.fact(node.input(1)).shape[c.filter_axis];
  } else {
    return std::nullopt;
  }
  return c;
}

Op EpilogueCarrier::with(const Graph& graph, const std::vector<EpilogueStep>& steps) const {
  const Op& op = graph.node(id).op;
  if (op.is<Conv2dFused>()) return with_steps<Conv2dFused>(op, steps);
  if (op.is<Conv2dTransposeFused>()) return with_steps<Conv2dTransposeFused>(op, steps);
  return with_steps<Linear>(op, steps);
}

std::vector<ValueId> EpilogueCarrier::tensors(const Graph& graph) const {
  const Node& node = graph.node(id);
  return {node.inputs.begin() + 2, node.inputs.end()};
}

std::vector<EpilogueStep> merged_runs(const std::vector<EpilogueStep>& steps) {
  std::vector<EpilogueStep> out;
  for (const EpilogueStep& s : steps) {
    if (!out.empty() && s.kind == EpilogueKind::kScaleShift && out.back().kind == EpilogueKind::kScaleShift) {
      EpilogueStep& before = out.back();
      before.b = s.a * before.b + s.b;
      before.a = s.a * before.a;
    } else {
      out.push_back(s);
    }
  }
  return out;
}

}  // namespace coracle
