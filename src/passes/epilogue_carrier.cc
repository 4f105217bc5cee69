// SPDX-License-Identifier: Apache-2.0
#include "passes/epilogue_carrier.h"

#include <algorithm>

#include "ops/conv_pool/conv2d_fused.h"
#include "ops/conv_pool/conv2d_transpose_fused.h"
#include "ops/matmul/linear.h"

namespace coracle::internal {

PatternSlot EpilogueCarrier::slot(Pattern& pattern) {
  return pattern.one_of({&kOpSchema<Conv2dFused>, &kOpSchema<Conv2dTransposeFused>, &kOpSchema<Linear>}, {});
}

std::optional<EpilogueCarrier> EpilogueCarrier::of_node(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  EpilogueCarrier c;
  c.id = id;
  if (const auto* conv = node.op.as<Conv2dFused>()) {
    c.channel_axis = conv->data_format == DataFormat::kNhwc ? 3 : 1;
    c.channels = graph.fact(node.input(1)).shape[0];
  } else if (const auto* transposed = node.op.as<Conv2dTransposeFused>()) {
    c.channel_axis = transposed->data_format == DataFormat::kNhwc ? 3 : 1;
    c.filter_axis = 1;
    c.filter_groups = transposed->groups;
    c.channels = graph.fact(node.input(1)).shape[1] * transposed->groups;
  } else if (const auto* linear = node.op.as<Linear>()) {
    const Shape& result = graph.fact(node.output(0)).shape;
    if (!result.rank_known()) return std::nullopt;
    c.channel_axis = result.rank() - 1;
    c.filter_axis = linear->transpose_w ? 0 : 1;
    c.channels = graph.fact(node.input(1)).shape[c.filter_axis];
  } else {
    return std::nullopt;
  }
  c.x = node.input(0);
  c.weights = node.input(1);
  c.steps = *node.op.epilogue();
  c.tensors.assign(node.inputs.begin() + 2, node.inputs.end());
  return c;
}

ChannelLines linear_beginning(const Graph& graph, const EpilogueCarrier& c, std::vector<double> factor) {
  ChannelLines lines{.factor = std::move(factor), .shift = {}};
  lines.shift.resize(lines.factor.size());
  for (const EpilogueStep& step : c.steps) {
    const bool adds = step.kind == EpilogueKind::kAddChannel;
    if (!adds && step.kind != EpilogueKind::kMultiplyChannel && step.kind != EpilogueKind::kScaleShift) break;
    const float* t = nullptr;
    if (takes_tensor(step.kind)) {
      const ValueId tensor = c.tensors[lines.tensors];
      if (!graph.value(tensor).is_constant()) break;
      t = graph.fact(tensor).value->data<float>();
      ++lines.tensors;
    }
    for (size_t i = 0; i < lines.factor.size(); ++i) {
      const double by = adds ? 1.0 : static_cast<double>(t != nullptr ? t[i] : step.a);
      const double plus = adds ? static_cast<double>(t[i]) : (t != nullptr ? 0.0 : static_cast<double>(step.b));
      lines.factor[i] *= by;
      lines.shift[i] = lines.shift[i] * by + plus;
    }
    ++lines.steps;
  }
  return lines;
}

Tensor channel_numbers(const std::vector<double>& values) {
  Tensor t = Tensor::make(DType::kFloat32, Shape{static_cast<int64_t>(values.size())});
  std::transform(values.begin(), values.end(), t.data<float>(), [](double v) { return static_cast<float>(v); });
  return t;
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

}  // namespace coracle::internal
