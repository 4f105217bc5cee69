// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cpu/isa/tables.h"

namespace coracle::cpu {

/// y = f(x) for one float; a, b and c are the numbers in UnaryStep. NaN gives NaN unless a comparison says otherwise.
enum class UnaryKind : int32_t {
  kIdentity,
  kRelu,         // x > 0 ? x : 0
  kClip,         // min(max(x, a), b): relu6 and hardtanh too
  kLeakyRelu,    // x >= 0 ? x : a * x
  kHardSigmoid,  // min(max(a * x + b, 0), 1)
  kHardSwish,    // x * min(max(x + a, 0), b) / c: offset, threshold, scale
  kSigmoid,
  kLogSigmoid,
  kSwish,  // x * sigmoid(a * x); silu is a = 1
  kTanh,
  kScaledTanh,  // b * tanh(a * x)
  kTanhShrink,  // x - tanh(x)
  kGelu,        // with erf
  kGeluTanh,
  kElu,       // x > 0 ? x : a * (e^x - 1)
  kSelu,      // b * elu(x, a): alpha, scale
  kCelu,      // x > 0 ? x : a * (e^(x / a) - 1)
  kSoftplus,  // a * x > b ? x : log(1 + e^(a * x)) / a: beta, threshold
  kMish,
  kSoftsign,         // x / (1 + |x|)
  kHardShrink,       // |x| <= a ? 0 : x
  kSoftShrink,       // (x > a) * (x - a) + (x < -a) * (x + a)
  kThresholdedRelu,  // x * (x > a) + b * (x <= a)
  kAbs,
  kNegative,
  kSign,
  kSquare,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kLog2,
  kLog10,
  kErf,
  kSin,
  kCos,
  kAtan,
  kFloor,
  kCeil,
  kRoundHalfEven,
  kRoundHalfAway,
  kTruncate,
  kScaleShift,  // a * x + b
  kShiftScale,  // (x + b) * a
  kPow,         // x^a
};

struct UnaryStep {
  UnaryKind kind = UnaryKind::kIdentity;
  float a = 0;
  float b = 0;
  float c = 0;
};

struct UnaryFunctions {
  /// y[i] = f(x[i]). y may be x, but must not overlap it otherwise.
  void (*apply)(const UnaryStep& step, const float* x, float* y, size_t count);
  /// The steps one after the other on each element, in one pass over memory. Same bits as one apply per step.
  void (*chain)(const UnaryStep* steps, size_t step_count, const float* x, float* y, size_t count);
};

CORACLE_ISA_TABLES(UnaryFunctions, unary)

}  // namespace coracle::cpu
