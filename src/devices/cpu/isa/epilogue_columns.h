// SPDX-License-Identifier: Apache-2.0
//
// apply_to_columns() of epilogue.h. Included only by epilogue_columns.cc, and by that header where sources do not share
// it.
#pragma once

#include "epilogue.h"
#include "math_erf.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Vectors that go through the chain together: enough to hide the latency of the longer functions.
constexpr size_t kEpilogueGroup = 4;

template <class F>
HWY_INLINE void each_of_group(FloatVector* HWY_RESTRICT v, F f) {
  for (size_t i = 0; i < kEpilogueGroup; ++i) v[i] = f(v[i]);
}

// Functions of one number; a kind without one does not compile.
HWY_INLINE void apply_function(const EpilogueStep& step, FloatVector* HWY_RESTRICT v) {
  using V = FloatVector;
  const FloatTag d;
  const V a = hn::Set(d, step.a);
  const V b = hn::Set(d, step.b);
  const V zero = hn::Zero(d);
  const V one = set(d, 1.0);
  switch (step.kind) {
    case EpilogueKind::kRelu: return each_of_group(v, [](V x) { return rectified(x); });
    case EpilogueKind::kClip: return each_of_group(v, [=](V x) { return at_most(b, at_least(a, x)); });
    case EpilogueKind::kLeakyRelu:
      return each_of_group(v, [=](V x) { return hn::IfThenElse(hn::Ge(x, zero), x, hn::Mul(a, x)); });
    case EpilogueKind::kHardSigmoid:
      return each_of_group(v, [=](V x) { return at_most(one, at_least(zero, hn::MulAdd(a, x, b))); });
    case EpilogueKind::kHardSwish: {
      const V inverse = hn::Set(d, 1.0f / step.c);
      return each_of_group(v, [=](V x) { return hard_swish(x, a, b, inverse); });
    }
    case EpilogueKind::kSigmoid: return each_of_group(v, [=](V x) { return math::sigmoid(d, x); });
    case EpilogueKind::kSwish: return each_of_group(v, [=](V x) { return math::swish(d, x, a); });
    case EpilogueKind::kTanh: return each_of_group(v, [=](V x) { return math::tanh(d, x); });
    case EpilogueKind::kGelu: return each_of_group(v, [=](V x) { return math::gelu(d, x); });
    case EpilogueKind::kGeluTanh: return each_of_group(v, [=](V x) { return math::gelu_tanh(d, x); });
    case EpilogueKind::kElu: return each_of_group(v, [=](V x) { return math::elu(d, x, a); });
    case EpilogueKind::kSoftplus: return each_of_group(v, [=](V x) { return math::softplus(d, x, a, b); });
    case EpilogueKind::kMish: return each_of_group(v, [=](V x) { return math::mish(d, x); });
    case EpilogueKind::kAbs: return each_of_group(v, [=](V x) { return hn::Abs(x); });
    case EpilogueKind::kSquare: return each_of_group(v, [=](V x) { return hn::Mul(x, x); });
    case EpilogueKind::kSqrt: return each_of_group(v, [=](V x) { return hn::Sqrt(x); });
    case EpilogueKind::kExp: return each_of_group(v, [=](V x) { return math::exp(d, x); });
    case EpilogueKind::kScaleShift: return each_of_group(v, [=](V x) { return hn::MulAdd(a, x, b); });
    case EpilogueKind::kAddChannel:
    case EpilogueKind::kMultiplyChannel:
    case EpilogueKind::kAddTensor:
    case EpilogueKind::kMultiplyTensor:
    case EpilogueKind::kAddIntegers: return;  // have a tensor
  }
}

}  // namespace

#ifdef __arm__
namespace {
[[maybe_unused]]
#endif
void apply_to_columns(const EpilogueOp* ops, int op_count, const float* tile, size_t tile_stride, size_t rows,
                      size_t count, const EpilogueTarget& to) {
  const FloatTag d;
  const bool partial = count < kFloatLanes;  // asked at each load and store: two functions would be twice as large
  const auto load = [&](const float* p) { return partial ? load_partial(d, p, count) : hn::LoadU(d, p); };
  for (size_t first = 0; first < rows; first += kEpilogueGroup) {
    FloatVector v[kEpilogueGroup];
    int64_t pixel[kEpilogueGroup];
    for (size_t i = 0; i < kEpilogueGroup; ++i) {
      const size_t r = first + i < rows ? first + i : rows - 1;  // a last group repeats the last row
      v[i] = load(tile + r * tile_stride);  // unused lanes are zero: leftovers could be slow to compute with
      pixel[i] = to.pixels[r];
    }
    for (const EpilogueOp* op = ops; op != ops + op_count; ++op) {
      switch (op->step.kind) {
        case EpilogueKind::kAddChannel: {
          const FloatVector t = load(op->tensor + to.channel);
          each_of_group(v, [=](FloatVector x) { return hn::Add(x, t); });
          break;
        }
        case EpilogueKind::kMultiplyChannel: {
          const FloatVector t = load(op->tensor + to.channel);
          each_of_group(v, [=](FloatVector x) { return hn::Mul(x, t); });
          break;
        }
        case EpilogueKind::kAddTensor:
          for (size_t i = 0; i < kEpilogueGroup; ++i) {
            v[i] = hn::Add(v[i], load(op->tensor + pixel[i] * op->tensor_stride + to.channel));
          }
          break;
        case EpilogueKind::kMultiplyTensor:
          for (size_t i = 0; i < kEpilogueGroup; ++i) {
            v[i] = hn::Mul(v[i], load(op->tensor + pixel[i] * op->tensor_stride + to.channel));
          }
          break;
        case EpilogueKind::kAddIntegers: {
          const FloatVector by = hn::Set(d, op->step.a);
          for (size_t i = 0; i < kEpilogueGroup; ++i) {
            const int8_t* from = op->integers + pixel[i] * op->tensor_stride + to.channel;
            v[i] = hn::Add(v[i], hn::Mul(by, int8_as_floats(from, count)));
          }
          break;
        }
        default: apply_function(op->step, v); break;
      }
    }
    for (size_t i = 0; i < kEpilogueGroup; ++i) {
      float* c = to.c + pixel[i] * to.stride + to.channel;
      if (partial) {
        store_partial(d, v[i], c, count);
      } else {
        hn::StoreU(v[i], d, c);
      }
    }
  }
}

#ifdef __arm__
}  // namespace
#endif
}  // namespace coracle::internal::cpu::CORACLE_ISA
