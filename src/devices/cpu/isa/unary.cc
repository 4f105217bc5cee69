// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/unary.h"

#include "devices/cpu/isa/map.h"
#include "devices/cpu/isa/math_erf.h"
#include "devices/cpu/isa/math_wide.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

HWY_INLINE V round_half_away(FloatTag d, V x) {
  const V a = hn::Abs(x);
  const V whole = hn::Trunc(a);
  const V up = hn::IfThenElseZero(hn::Ge(hn::Sub(a, whole), set(d, 0.5)), set(d, 1.0));
  return hn::CopySign(hn::Add(whole, up), x);
}

// One loop per kind.
void apply_step(const UnaryStep& step, const float* x, float* y, size_t n) {
  const FloatTag d;
  const V a = hn::Set(d, step.a);
  const V b = hn::Set(d, step.b);
  const V zero = hn::Zero(d);
  const V one = set(d, 1.0);
  switch (step.kind) {
    case UnaryKind::kIdentity:
      if (x != y) map(x, y, n, [](V v) { return v; });
      return;
    case UnaryKind::kRelu: return map(x, y, n, [](V v) { return rectified(v); });
    case UnaryKind::kClip: return map(x, y, n, [=](V v) { return at_most(b, at_least(a, v)); });
    case UnaryKind::kLeakyRelu:
      return map(x, y, n, [=](V v) { return hn::IfThenElse(hn::Ge(v, zero), v, hn::Mul(a, v)); });
    case UnaryKind::kHardSigmoid:
      return map(x, y, n, [=](V v) { return at_most(one, at_least(zero, hn::MulAdd(a, v, b))); });
    case UnaryKind::kHardSwish: {
      const V inverse = hn::Set(d, 1.0f / step.c);
      return map(x, y, n, [=](V v) { return hn::Mul(hn::Mul(v, at_most(b, at_least(zero, hn::Add(v, a)))), inverse); });
    }
    case UnaryKind::kSigmoid: return map(x, y, n, [=](V v) { return math::sigmoid(d, v); });
    case UnaryKind::kLogSigmoid: return map(x, y, n, [=](V v) { return math::log_sigmoid(d, v); });
    case UnaryKind::kSwish: return map(x, y, n, [=](V v) { return math::swish(d, v, a); });
    case UnaryKind::kTanh: return map(x, y, n, [=](V v) { return math::tanh(d, v); });
    case UnaryKind::kScaledTanh: return map(x, y, n, [=](V v) { return hn::Mul(b, math::tanh(d, hn::Mul(a, v))); });
    case UnaryKind::kTanhShrink: return map(x, y, n, [=](V v) { return hn::Sub(v, math::tanh(d, v)); });
    case UnaryKind::kGelu: return map(x, y, n, [=](V v) { return math::gelu(d, v); });
    case UnaryKind::kGeluTanh: return map(x, y, n, [=](V v) { return math::gelu_tanh(d, v); });
    case UnaryKind::kElu: return map(x, y, n, [=](V v) { return math::elu(d, v, a); });
    case UnaryKind::kSelu: return map(x, y, n, [=](V v) { return hn::Mul(b, math::elu(d, v, a)); });
    case UnaryKind::kCelu: {
      const V inverse = hn::Set(d, 1.0f / step.a);
      return map(x, y, n, [=](V v) {
        const V negative = hn::Mul(a, math::expm1(d, hn::Mul(v, inverse)));
        return hn::IfThenElse(hn::Lt(v, zero), negative, v);
      });
    }
    case UnaryKind::kSoftplus: return map(x, y, n, [=](V v) { return math::softplus(d, v, a, b); });
    case UnaryKind::kMish: return map(x, y, n, [=](V v) { return math::mish(d, v); });
    case UnaryKind::kSoftsign: return map(x, y, n, [=](V v) { return hn::Div(v, hn::Add(one, hn::Abs(v))); });
    case UnaryKind::kHardShrink:
      return map(x, y, n, [=](V v) { return hn::IfThenElseZero(hn::Not(hn::Le(hn::Abs(v), a)), v); });
    case UnaryKind::kSoftShrink:
      return map(x, y, n, [=](V v) {
        // As products: infinity and NaN give NaN.
        const V upper = hn::Mul(hn::IfThenElseZero(hn::Gt(v, a), one), hn::Sub(v, a));
        const V lower = hn::Mul(hn::IfThenElseZero(hn::Lt(v, hn::Neg(a)), one), hn::Add(v, a));
        return hn::Add(upper, lower);
      });
    case UnaryKind::kThresholdedRelu:
      return map(x, y, n, [=](V v) {
        const auto above = hn::Gt(v, a);
        return hn::Add(hn::Mul(hn::IfThenElseZero(above, one), v), hn::IfThenElseZero(hn::Not(above), b));
      });
    case UnaryKind::kAbs: return map(x, y, n, [](V v) { return hn::Abs(v); });
    case UnaryKind::kNegative: return map(x, y, n, [](V v) { return hn::Neg(v); });
    case UnaryKind::kSign:
      return map(x, y, n, [=](V v) {
        const V sign = hn::CopySign(one, v);
        return hn::IfThenElse(hn::Gt(hn::Abs(v), zero), sign, v);  // zero and NaN stay
      });
    case UnaryKind::kSquare: return map(x, y, n, [](V v) { return hn::Mul(v, v); });
    case UnaryKind::kSqrt: return map(x, y, n, [](V v) { return hn::Sqrt(v); });
    case UnaryKind::kRsqrt: return map(x, y, n, [=](V v) { return math::rsqrt(d, v); });
    case UnaryKind::kReciprocal: return map(x, y, n, [=](V v) { return hn::Div(one, v); });
    case UnaryKind::kExp: return map(x, y, n, [=](V v) { return math::exp(d, v); });
    case UnaryKind::kExpm1: return map(x, y, n, [=](V v) { return math::expm1(d, v); });
    case UnaryKind::kLog: return map(x, y, n, [=](V v) { return math::log(d, v); });
    case UnaryKind::kLog1p: return map(x, y, n, [=](V v) { return math::log1p(d, v); });
    case UnaryKind::kLog2:
      return map(x, y, n, [=](V v) { return hn::Mul(math::log(d, v), set(d, 1.44269504088896341)); });
    case UnaryKind::kLog10:
      return map(x, y, n, [=](V v) { return hn::Mul(math::log(d, v), set(d, 0.43429448190325183)); });
    case UnaryKind::kErf: return map(x, y, n, [=](V v) { return math::erf(d, v); });
    case UnaryKind::kSin: return map(x, y, n, [=](V v) { return math::sin(d, v); });
    case UnaryKind::kCos: return map(x, y, n, [=](V v) { return math::cos(d, v); });
    case UnaryKind::kAtan: return map(x, y, n, [=](V v) { return math::atan(d, v); });
    case UnaryKind::kFloor: return map(x, y, n, [](V v) { return hn::Floor(v); });
    case UnaryKind::kCeil: return map(x, y, n, [](V v) { return hn::Ceil(v); });
    case UnaryKind::kRoundHalfEven: return map(x, y, n, [](V v) { return hn::Round(v); });
    case UnaryKind::kRoundHalfAway: return map(x, y, n, [=](V v) { return round_half_away(d, v); });
    case UnaryKind::kTruncate: return map(x, y, n, [](V v) { return hn::Trunc(v); });
    case UnaryKind::kScaleShift: return map(x, y, n, [=](V v) { return hn::MulAdd(a, v, b); });
    case UnaryKind::kShiftScale: return map(x, y, n, [=](V v) { return hn::Mul(hn::Add(v, b), a); });
    case UnaryKind::kPow:
      if (step.a == 1.0f) return apply_step({}, x, y, n);
      if (step.a == 2.0f) return apply_step({UnaryKind::kSquare}, x, y, n);
      if (step.a == -1.0f) return apply_step({UnaryKind::kReciprocal}, x, y, n);
      if (step.a == 3.0f) return map(x, y, n, [](V v) { return hn::Mul(hn::Mul(v, v), v); });
      return map(x, y, n, [=](V v) { return math::pow(d, v, a); });
  }
}

void chain(const UnaryStep* steps, size_t step_count, const float* x, float* y, size_t count) {
  constexpr size_t kBlock = 2048;  // floats: stays in the first-level cache from step to step
  if (step_count == 0) return apply_step({}, x, y, count);
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t size = count - begin < kBlock ? count - begin : kBlock;
    apply_step(steps[0], x + begin, y + begin, size);
    for (size_t i = 1; i < step_count; ++i) apply_step(steps[i], y + begin, y + begin, size);
  }
}

}  // namespace

const UnaryFunctions unary = {apply_step, chain};

}  // namespace coracle::internal::cpu::CORACLE_ISA
