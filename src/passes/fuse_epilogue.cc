// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/elementwise/add.h"
#include "ops/elementwise/divide.h"
#include "ops/elementwise/multiply.h"
#include "ops/elementwise/scale.h"
#include "ops/elementwise/subtract.h"
#include "ops/norm/batch_norm.h"
#include "ops/quantize/fake_channel_wise_dequantize_max_abs.h"
#include "ops/quantize/fake_dequantize_max_abs.h"
#include "passes/activation_step.h"
#include "passes/epilogue_carrier.h"
#include "passes/passes.h"

/// Moves what follows a convolution or product into its epilogue, one operator at a time:
/// bias, per-channel scale, batch_norm, dequantisation, activation, scale by scalars, residual.
namespace coracle::internal {
namespace {

/// What a following operator adds to an epilogue.
struct Addition {
  std::vector<EpilogueStep> steps;
  std::vector<ValueId> tensors;
};

/// The constant as one number per channel of the carrier, if that is what it is: [C], [1, C, 1, 1] or [C, 1, 1] for a
/// result of rank 4, [n] or [1, n] for a product.
std::optional<Tensor> per_channel(const Graph& graph, const EpilogueCarrier& c, ValueId value) {
  if (!graph.value(value).is_constant()) return std::nullopt;
  const Tensor& t = *graph.fact(value).value;
  if (t.dtype() != DType::kFloat32 || t.count() != c.channels || t.shape().rank() == 0) return std::nullopt;
  const int rank = graph.fact(graph.node(c.id).output(0)).shape.rank();
  if (t.shape().rank() > rank) return std::nullopt;
  const int axis = c.channel_axis - (rank - t.shape().rank());
  if (axis < 0 || t.shape()[axis] != c.channels) return std::nullopt;
  return t.reshaped(Shape{c.channels});
}

std::optional<float> scalar(const Graph& graph, ValueId value) {
  if (value == kNoValue || !graph.value(value).is_constant()) return std::nullopt;
  const Fact& f = graph.fact(value);
  if (!is_float(f.dtype) || f.value->count() != 1) return std::nullopt;
  return static_cast<float>(f.value->number(0));
}

/// A tensor that may join as it is: of the result's rank and type, and not known to be broadcast.
bool same_kind(const Graph& graph, const EpilogueCarrier& c, ValueId value) {
  const Fact& result = graph.fact(graph.node(c.id).output(0));
  const Fact& f = graph.fact(value);
  if (f.dtype != DType::kFloat32 || !f.shape.rank_known() || f.shape.rank() != result.shape.rank()) return false;
  for (int d = 0; d < f.shape.rank(); ++d) {
    const int64_t a = f.shape[d];
    const int64_t b = result.shape[d];
    if (a >= 0 && b >= 0 ? a != b : (a == 1 || b == 1)) return false;
  }
  return true;
}

/// The elements of a constant, each replaced by f(element); nothing if that is not finite.
template <class F>
std::optional<Tensor> mapped(const Tensor& t, const F& f) {
  Tensor out = t.clone();
  for (int64_t i = 0; i < out.count(); ++i) {
    float& v = out.data<float>()[i];
    v = f(v);
    if (!std::isfinite(v)) return std::nullopt;
  }
  return out;
}

/// x + other, x - other, x * other, x / other, and other + x, other * x.
std::optional<Addition> binary_addition(const Graph& graph, Patch& patch, const EpilogueCarrier& c, const Node& node,
                                        ValueId other, bool carrier_first) {
  const bool subtracts = node.op.is<Subtract>();
  const bool divides = node.op.is<Divide>();
  const bool adds = node.op.is<Add>() || subtracts;
  if (!adds && !divides && !node.op.is<Multiply>()) return std::nullopt;
  const bool inverse = subtracts || divides;
  if (inverse && !carrier_first) return std::nullopt;
  const int rank = graph.fact(graph.node(c.id).output(0)).shape.rank();
  if (graph.fact(other).shape.rank_known() && graph.fact(other).shape.rank() > rank) return std::nullopt;
  const auto operand = [&](float v) { return subtracts ? -v : (divides ? 1.0F / v : v); };
  if (const auto number = scalar(graph, other)) {
    const float by = operand(*number);
    if (!std::isfinite(by)) return std::nullopt;
    return Addition{{{EpilogueKind::kScaleShift, adds ? 1.0F : by, adds ? by : 0.0F, 0}}, {}};
  }
  if (const auto t = per_channel(graph, c, other)) {
    const auto by = inverse ? mapped(*t, operand) : t;
    if (!by) return std::nullopt;
    return Addition{{{adds ? EpilogueKind::kAddChannel : EpilogueKind::kMultiplyChannel}},
                    {patch.constant(*by, graph.value(other).name)}};
  }
  if (inverse || !same_kind(graph, c, other)) return std::nullopt;
  return Addition{{{adds ? EpilogueKind::kAddTensor : EpilogueKind::kMultiplyTensor}}, {other}};
}

/// y * a + b with a = scale / sqrt(variance + epsilon), b = bias - mean * a
std::optional<Addition> batch_norm_addition(const Graph& graph, Patch& patch, const EpilogueCarrier& c,
                                            const Node& node) {
  const BatchNorm& op = *node.op.as<BatchNorm>();
  const int rank = graph.fact(node.input(0)).shape.rank();
  if (op.uses_batch() || channel_axis(op.data_format, rank) != c.channel_axis) return std::nullopt;
  const Tensor* t[4] = {};
  for (int port = 1; port <= 4; ++port) {
    const ValueId v = node.input(port);
    if (v == kNoValue) continue;
    if (!graph.value(v).is_constant() || graph.fact(v).dtype != DType::kFloat32) return std::nullopt;
    t[port - 1] = graph.fact(v).value.get();
  }
  Tensor a = Tensor::make(DType::kFloat32, Shape{c.channels});
  Tensor b = Tensor::make(DType::kFloat32, Shape{c.channels});
  for (int64_t i = 0; i < c.channels; ++i) {
    const auto number = [&](size_t which, float missing) {
      return t[which] != nullptr ? t[which]->data<float>()[i] : missing;
    };
    const ChannelAffine affine =
        batch_norm_affine(op, i, c.channels, number(0, 0), number(1, 1), number(2, 1), number(3, 0));
    a.data<float>()[i] = affine.factor;
    b.data<float>()[i] = affine.shift;
  }
  return Addition{{{EpilogueKind::kMultiplyChannel}, {EpilogueKind::kAddChannel}},
                  {patch.constant(std::move(a)), patch.constant(std::move(b))}};
}

/// x * scale / max_range
std::optional<Addition> dequantize_addition(const Graph& graph, const FakeDequantizeMaxAbs& op, const Node& node) {
  const auto scale = scalar(graph, node.input(1));
  if (!scale || graph.fact(node.output(0)).dtype != DType::kFloat32) return std::nullopt;
  const float by = *scale / static_cast<float>(op.max_range);
  if (!std::isfinite(by)) return std::nullopt;
  return Addition{{{EpilogueKind::kScaleShift, by, 0.0F, 0}}, {}};
}

/// x * scale / range, a scale for each channel
std::optional<Addition> dequantize_addition(const Graph& graph, Patch& patch, const EpilogueCarrier& c,
                                            const FakeChannelWiseDequantizeMaxAbs& op, const Node& node) {
  const std::span<const ValueId> scales = std::span(node.inputs).subspan(1);
  if (op.axis(static_cast<int>(scales.size())) != c.channel_axis) return std::nullopt;
  float by = 1;
  for (size_t i = 0; i < scales.size(); ++i) {
    by /= quantization_limit(static_cast<int>(op.quant_bits[i]));
    if (i == 0) continue;
    const auto common = scalar(graph, scales[i]);
    if (!common) return std::nullopt;
    by *= *common;
  }
  if (!graph.value(scales[0]).is_constant()) return std::nullopt;
  const Tensor& t = *graph.fact(scales[0]).value;
  if (t.dtype() != DType::kFloat32 || t.count() != c.channels) return std::nullopt;
  auto factors = mapped(t.reshaped(Shape{c.channels}), [&](float v) { return v * by; });
  if (!factors) return std::nullopt;
  return Addition{{{EpilogueKind::kMultiplyChannel}}, {patch.constant(std::move(*factors))}};
}

std::optional<Addition> addition(const Graph& graph, Patch& patch, const EpilogueCarrier& c, const Node& node,
                                 int port) {
  if (port == 0) {
    if (const auto step = activation_step(graph, node)) return Addition{{*step}, {}};
    if (node.op.is<BatchNorm>()) return batch_norm_addition(graph, patch, c, node);
    if (const auto* op = node.op.as<FakeDequantizeMaxAbs>()) return dequantize_addition(graph, *op, node);
    if (const auto* op = node.op.as<FakeChannelWiseDequantizeMaxAbs>()) {
      return dequantize_addition(graph, patch, c, *op, node);
    }
  }
  if (node.inputs.size() != 2) return std::nullopt;
  return binary_addition(graph, patch, c, node, node.input(1 - port), port == 0);
}

/// f(carrier(x, w), ...)  ->  carrier'(x, w, ...) with f as its last step, for f whose operand at `port` it is
Rewrite into_carrier(int port) {
  Pattern p;
  const auto carrier = p.used_once(EpilogueCarrier::slot(p));
  const auto root =
      port == 0 ? p.any_op({carrier}) : p.one_of({&kOpSchema<Add>, &kOpSchema<Multiply>}, {p.any(), carrier});
  return {p, root, [=](const Match& m, Patch& patch) {
            const auto c = EpilogueCarrier::of_node(m.graph(), m.node_id(carrier));
            if (!c || m.reads_others(root)) return false;
            const auto more = addition(m.graph(), patch, *c, m.node(root), port);
            if (!more) return false;
            std::vector<EpilogueStep> steps = c->steps;
            steps.insert(steps.end(), more->steps.begin(), more->steps.end());
            if (steps.size() > Epilogue::kMaxSteps) return false;
            std::vector<ValueId> tensors = c->tensors;
            tensors.insert(tensors.end(), more->tensors.begin(), more->tensors.end());
            const Op op = m.node(carrier).op.with_epilogue(std::move(steps));
            patch.replace(m[root], patch.add(op, {{c->x}, {c->weights}, tensors}));
            return true;
          }};
}

}  // namespace

/// Of two products that are added, the second one, which usually is computed later, takes the first as a tensor.
Pass fuse_epilogue() { return {.name = "fuse_epilogue", .rewrites = {into_carrier(1), into_carrier(0)}}; }

}  // namespace coracle::internal
