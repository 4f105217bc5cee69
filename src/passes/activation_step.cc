// SPDX-License-Identifier: Apache-2.0
#include "passes/activation_step.h"

#include "ops/abs.h"
#include "ops/clip.h"
#include "ops/elu.h"
#include "ops/exp.h"
#include "ops/gelu.h"
#include "ops/hardsigmoid.h"
#include "ops/hardswish.h"
#include "ops/hardtanh.h"
#include "ops/leaky_relu.h"
#include "ops/mish.h"
#include "ops/relu.h"
#include "ops/relu6.h"
#include "ops/scale.h"
#include "ops/sigmoid.h"
#include "ops/silu.h"
#include "ops/softplus.h"
#include "ops/sqrt.h"
#include "ops/square.h"
#include "ops/swish.h"
#include "ops/tanh.h"

namespace coracle {
namespace {

float number(double x) { return static_cast<float>(x); }

/// A constant operand as a number; `missing` where there is none, nothing where it is not constant.
std::optional<double> operand(const Graph& graph, const Node& node, int port, double missing) {
  const ValueId v = node.input(port);
  if (v == kNoValue) return missing;
  const Value& value = graph.value(v);
  if (!value.is_constant() || value.fact.shape.count() != 1) return std::nullopt;
  return value.fact.value->number(0);
}

}  // namespace

std::optional<EpilogueStep> activation_step(const Graph& graph, const Node& node) {
  using Kind = EpilogueKind;
  const Op& op = node.op;
  if (graph.fact(node.input(0)).dtype != DType::kFloat32) return std::nullopt;
  if (op.is<Relu>()) return EpilogueStep{Kind::kRelu};
  if (const auto* o = op.as<Relu6>()) return EpilogueStep{Kind::kClip, 0.0F, number(o->threshold)};
  if (const auto* o = op.as<Hardtanh>()) return EpilogueStep{Kind::kClip, number(o->t_min), number(o->t_max)};
  if (op.is<Clip>()) {
    const auto low = operand(graph, node, 1, -3.4028234663852886e38);
    const auto high = operand(graph, node, 2, 3.4028234663852886e38);
    if (!low || !high) return std::nullopt;
    return EpilogueStep{Kind::kClip, number(*low), number(*high)};
  }
  if (const auto* o = op.as<LeakyRelu>()) return EpilogueStep{Kind::kLeakyRelu, number(o->negative_slope)};
  if (const auto* o = op.as<Hardsigmoid>())
    return EpilogueStep{Kind::kHardSigmoid, number(o->slope), number(o->offset)};
  if (const auto* o = op.as<Hardswish>()) {
    return EpilogueStep{Kind::kHardSwish, number(o->offset), number(o->threshold), number(o->scale)};
  }
  if (op.is<Sigmoid>()) return EpilogueStep{Kind::kSigmoid};
  if (const auto* o = op.as<Swish>()) return EpilogueStep{Kind::kSwish, number(o->beta)};
  if (op.is<Silu>()) return EpilogueStep{Kind::kSwish, 1.0F};
  if (op.is<Tanh>()) return EpilogueStep{Kind::kTanh};
  if (const auto* o = op.as<Gelu>()) return EpilogueStep{o->approximate ? Kind::kGeluTanh : Kind::kGelu};
  if (const auto* o = op.as<Elu>()) return EpilogueStep{Kind::kElu, number(o->alpha)};
  if (const auto* o = op.as<Softplus>()) return EpilogueStep{Kind::kSoftplus, number(o->beta), number(o->threshold)};
  if (op.is<Mish>()) return EpilogueStep{Kind::kMish};
  if (op.is<Abs>()) return EpilogueStep{Kind::kAbs};
  if (op.is<Square>()) return EpilogueStep{Kind::kSquare};
  if (op.is<Sqrt>()) return EpilogueStep{Kind::kSqrt};
  if (op.is<Exp>()) return EpilogueStep{Kind::kExp};
  if (const auto* o = op.as<Scale>()) {
    const auto a = operand(graph, node, 1, 1.0);
    if (!a) return std::nullopt;
    const double b = o->bias_after_scale ? o->bias : o->bias * *a;
    return EpilogueStep{Kind::kScaleShift, number(*a), number(b)};
  }
  return std::nullopt;
}

}  // namespace coracle
