// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "passes/epilogue_carrier.h"
#include "passes/fake_quantization.h"
#include "passes/passes.h"

/// Moves the linear beginning of an epilogue into the weights, so that at most one bias is left of it:
///   (x * w) * a          ->  x * (w a)
///   (x * w + b) * a + c  ->  x * (w a) + (b a + c)
/// where a, b, c are numbers or one number per channel. Runs of scale_shift become one. What simulates integers stays
/// as it is.
namespace coracle {
namespace {

bool is_linear(EpilogueKind kind) {
  return kind == EpilogueKind::kAddChannel || kind == EpilogueKind::kMultiplyChannel ||
         kind == EpilogueKind::kScaleShift;
}

/// weights[..., channel, ...] * factor[channel]
Tensor scaled_weights(const EpilogueCarrier& c, const Tensor& weights, const std::vector<double>& factor) {
  Tensor out = Tensor::make(DType::kFloat32, weights.shape());
  const Shape& s = weights.shape();
  const int64_t inner = s.count(c.filter_axis + 1, s.rank());
  const int64_t along = s[c.filter_axis];
  const int64_t outer = s.count(0, c.filter_axis);
  const int64_t outer_per_group = c.filter_groups > 0 ? outer / c.filter_groups : outer;
  const float* from = weights.data<float>();
  float* to = out.data<float>();
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t group = c.filter_groups > 1 ? o / outer_per_group : 0;
    for (int64_t a = 0; a < along; ++a) {
      const double by = factor[static_cast<size_t>(group * along + a)];
      for (int64_t i = 0; i < inner; ++i, ++from, ++to) *to = static_cast<float>(static_cast<double>(*from) * by);
    }
  }
  return out;
}

/// Length of the linear beginning.
size_t linear_prefix(const std::vector<EpilogueStep>& steps) {
  return static_cast<size_t>(
      std::find_if(steps.begin(), steps.end(), [](const EpilogueStep& s) { return !is_linear(s.kind); }) -
      steps.begin());
}

/// True if two scale_shift steps follow each other somewhere.
bool has_run(const std::vector<EpilogueStep>& steps) {
  for (size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].kind == EpilogueKind::kScaleShift && steps[i - 1].kind == EpilogueKind::kScaleShift) return true;
  }
  return false;
}

bool fold_carrier(Graph& graph, const EpilogueCarrier& c, RewriteBudget& budget) {
  const std::vector<EpilogueStep>& steps = c.epilogue->epilogue;
  const size_t prefix = linear_prefix(steps);
  const bool settled = prefix == 0 || (prefix == 1 && steps[0].kind == EpilogueKind::kAddChannel);
  if (settled && !has_run(steps)) return false;
  const Value& weights = graph.value(c.weights(graph));
  if (!weights.is_constant() || weights.fact.dtype != DType::kFloat32) return false;

  std::vector<ValueId> tensors = c.tensors(graph);
  Patch patch(graph, c.id);
  std::vector<EpilogueStep> left(steps.begin() + static_cast<std::ptrdiff_t>(settled ? 0 : prefix), steps.end());
  ValueId w = c.weights(graph);
  if (!settled) {
    std::vector<double> factor(static_cast<size_t>(c.channels), 1.0);
    std::vector<double> bias(static_cast<size_t>(c.channels), 0.0);
    size_t used = 0;
    for (size_t s = 0; s < prefix; ++s) {
      const EpilogueStep& step = steps[s];
      const float* t = takes_tensor(step.kind) ? graph.fact(tensors[used++]).value->data<float>() : nullptr;
      for (size_t i = 0; i < factor.size(); ++i) {
        const bool adds = step.kind == EpilogueKind::kAddChannel;
        const double a = adds ? 1.0 : static_cast<double>(t != nullptr ? t[i] : step.a);
        const double b = adds ? static_cast<double>(t[i]) : (t != nullptr ? 0.0 : static_cast<double>(step.b));
        factor[i] *= a;
        bias[i] = bias[i] * a + b;
      }
    }
    tensors.erase(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(used));
    if (std::any_of(factor.begin(), factor.end(), [](double f) { return f != 1.0; })) {
      const std::string name = weights.name;
      w = patch.constant(scaled_weights(c, *weights.fact.value, factor), name);
    }
    if (std::any_of(bias.begin(), bias.end(), [](double b) { return b != 0.0; })) {
      Tensor t = Tensor::make(DType::kFloat32, Shape{c.channels});
      std::transform(bias.begin(), bias.end(), t.data<float>(), [](double b) { return static_cast<float>(b); });
      tensors.insert(tensors.begin(), patch.constant(std::move(t)));
      left.insert(left.begin(), {EpilogueKind::kAddChannel});
    }
  }
  const ValueId old = graph.node(c.id).output(0);
  patch.replace(old, patch.add(c.with(graph, merged_runs(left)), {{c.x(graph)}, {w}, tensors}));
  patch.remove(c.id);
  if (!patch.allowed() || !budget.take()) return false;
  patch.commit();
  return true;
}

int fold_epilogues(Graph& graph, RewriteBudget& budget) {
  int count = 0;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const auto c = EpilogueCarrier::of_node(graph, id);
    if (c && !is_fake_quantized(graph, c->x(graph)) && fold_carrier(graph, *c, budget)) ++count;
  }
  return count;
}

}  // namespace

Pass fold_epilogue() { return {.name = "fold_epilogue", .function = fold_epilogues}; }

}  // namespace coracle
