// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/dtypes.h"
#include "base/scale.h"
#include "ops/conv_pool/conv2d_fused.h"
#include "passes/epilogue_carrier.h"
#include "passes/fake_quantization.h"
#include "passes/passes.h"

/// Moves the linear beginning of an epilogue into the weights, so that at most one bias is left of it:
///   (x * w) * a          ->  x * (w a)
///   (x * w + b) * a + c  ->  x * (w a) + (b a + c)
/// where a, b, c are numbers or one number per channel. Runs of scale_shift become one. What simulates integers stays
/// as it is. A filter in 16 bits becomes one in float32 where it is multiplied; other weights in 16 bits are not.
namespace coracle::internal {
namespace {

/// to[..., channel, ...] = weights[..., channel, ...] * factor[channel]; `to` may be the elements of `weights`.
void scale_weights(const EpilogueCarrier& c, const Tensor& weights, const std::vector<double>& factor, float* to) {
  const Shape& s = weights.shape();
  const int64_t inner = s.count(c.filter_axis + 1, s.rank());
  const int64_t along = s[c.filter_axis];
  const int64_t outer = s.count(0, c.filter_axis);
  const int64_t outer_per_group = c.filter_groups > 0 ? outer / c.filter_groups : outer;
  const float* from = weights.data<float>();
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t group = c.filter_groups > 1 ? o / outer_per_group : 0;
    const double* by = factor.data() + group * along;
    if (inner == 1) {
      scale_floats(from, by, along, to);
    } else {
      for (int64_t a = 0; a < along; ++a) scale_floats(from + a * inner, by[a], inner, to + a * inner);
    }
    from += along * inner;
    to += along * inner;
  }
}

/// Constant weights in float32, which nothing else sees if they were in 16 bits.
Tensor in_floats(const Tensor& weights) {
  if (weights.dtype() == DType::kFloat32) return weights;
  Tensor out = Tensor::make(DType::kFloat32, weights.shape());
  visit_float(weights.dtype(), [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    std::transform(weights.data<T>(), weights.data<T>() + weights.count(), out.data<float>(),
                   [](T value) { return static_cast<float>(value); });
  });
  return out;
}

/// Whether nothing but the one operand that a rewrite takes can see the elements of a constant.
bool is_used_once(const Graph& graph, ValueId constant) {
  const std::shared_ptr<const Tensor>& value = graph.value(constant).fact.value;
  return graph.use_counts()[index(constant)] == 1 && value.use_count() == 1 &&
         value->reusable_for(value->dtype(), value->shape());
}

bool any_differs(const std::vector<double>& values, double from) {
  return std::any_of(values.begin(), values.end(), [&](double v) { return v != from; });
}

/// True if two scale_shift steps follow each other somewhere.
bool has_run(const std::vector<EpilogueStep>& steps) {
  for (size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].kind == EpilogueKind::kScaleShift && steps[i - 1].kind == EpilogueKind::kScaleShift) return true;
  }
  return false;
}

/// A carrier with constant weights  ->  one with other weights and at most a bias of the linear beginning
Rewrite folded_beginning() {
  Pattern p;
  const auto carrier = EpilogueCarrier::slot(p);
  return {p, carrier, [=](const Match& m, Patch& patch) {
            const auto c = EpilogueCarrier::of_node(m.graph(), m.node_id(carrier));
            if (!c || is_fake_quantized(m.graph(), c->x)) return false;
            const Value& weights = m.graph().value(c->weights);
            const bool is_half_filter = kHalfTypes.has(weights.fact.dtype) && m.node(carrier).op.is<Conv2dFused>();
            if (!weights.is_constant() || !(weights.fact.dtype == DType::kFloat32 || is_half_filter)) return false;
            const ChannelLines lines =
                linear_beginning(m.graph(), *c, std::vector<double>(static_cast<size_t>(c->channels), 1.0));
            const bool settled =
                lines.steps == 0 || (lines.steps == 1 && c->steps[0].kind == EpilogueKind::kAddChannel);
            if (settled && !has_run(c->steps)) return false;

            std::vector<EpilogueStep> steps = c->steps;
            std::vector<ValueId> tensors = c->tensors;
            ValueId w = c->weights;
            const bool in_place = is_used_once(m.graph(), c->weights);
            std::optional<Tensor> scaled;
            if (!settled) {
              steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(lines.steps));
              tensors.erase(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(lines.tensors));
              if (any_differs(lines.factor, 1)) {
                const std::string name = weights.name;
                const Tensor floats = in_floats(*weights.fact.value);
                scaled = in_place ? floats : Tensor::make(DType::kFloat32, weights.fact.shape);
                if (!in_place) scale_weights(*c, floats, lines.factor, scaled->data<float>());
                w = patch.constant(*scaled, name);
              }
              if (any_differs(lines.shift, 0)) {
                tensors.insert(tensors.begin(), patch.constant(channel_numbers(lines.shift)));
                steps.insert(steps.begin(), {EpilogueKind::kAddChannel});
              }
            }
            const Op op = m.node(carrier).op.with_epilogue(merged_runs(steps));
            patch.replace(m[carrier], patch.add(op, {{c->x}, {w}, tensors}));
            // What had the elements before goes with the patch.
            if (scaled && in_place && patch.allowed()) scale_weights(*c, *scaled, lines.factor, scaled->data<float>());
            return true;
          }};
}

}  // namespace

Pass fold_epilogue() { return {.name = "fold_epilogue", .rewrites = {folded_beginning()}}; }

}  // namespace coracle::internal
