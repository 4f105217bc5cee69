// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Functions of one real number that operators, epilogues and kernels share: plain data, for units that are compiled
/// for one instruction set too.
namespace coracle {

// The functions that can be part of an epilogue, and their names there: what enumerations, the text form and kernels of
// epilogues are made from. One that a switch over them does not name does not compile.
#define CORACLE_EPILOGUE_FUNCTIONS(FUNCTION)                                                         \
  FUNCTION(Relu, "relu")               /* x > 0 ? x : 0 */                                           \
  FUNCTION(Clip, "clip")               /* min(max(x, a), b): relu6 and hardtanh too */               \
  FUNCTION(LeakyRelu, "leaky_relu")    /* x >= 0 ? x : a * x */                                      \
  FUNCTION(HardSigmoid, "hardsigmoid") /* min(max(a * x + b, 0), 1) */                               \
  FUNCTION(HardSwish, "hardswish")     /* x * min(max(x + a, 0), b) / c: offset, threshold, scale */ \
  FUNCTION(Sigmoid, "sigmoid")                                                                       \
  FUNCTION(Swish, "swish") /* x * sigmoid(a * x); silu is a = 1 */                                   \
  FUNCTION(Tanh, "tanh")                                                                             \
  FUNCTION(Gelu, "gelu") /* with erf */                                                              \
  FUNCTION(GeluTanh, "gelu_tanh")                                                                    \
  FUNCTION(Elu, "elu")           /* x > 0 ? x : a * (e^x - 1) */                                     \
  FUNCTION(Softplus, "softplus") /* a * x > b ? x : log(1 + e^(a * x)) / a: beta, threshold */       \
  FUNCTION(Mish, "mish")                                                                             \
  FUNCTION(Abs, "abs")                                                                               \
  FUNCTION(Square, "square")                                                                         \
  FUNCTION(Sqrt, "sqrt")                                                                             \
  FUNCTION(Exp, "exp")                                                                               \
  FUNCTION(ScaleShift, "scale_shift") /* a * x + b */

/// y = f(x); a, b and c are the numbers in UnaryStep. NaN gives NaN unless a comparison says otherwise.
enum class UnaryKind : int32_t {
  kIdentity,
  kShiftScale,  // (x + b) * a
  kLogSigmoid,
  kScaledTanh,       // b * tanh(a * x)
  kTanhShrink,       // x - tanh(x)
  kSelu,             // b * elu(x, a): alpha, scale
  kCelu,             // x > 0 ? x : a * (e^(x / a) - 1)
  kSoftsign,         // x / (1 + |x|)
  kHardShrink,       // |x| <= a ? 0 : x
  kSoftShrink,       // (x > a) * (x - a) + (x < -a) * (x + a)
  kThresholdedRelu,  // x * (x > a) + b * (x <= a)
  kNegative,
  kSign,
  kRsqrt,
  kReciprocal,
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
  kPow,  // x^a
#define CORACLE_FUNCTION(name, text) k##name,
  CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
};

struct UnaryStep {
  UnaryKind kind = UnaryKind::kIdentity;
  float a = 0;
  float b = 0;
  float c = 0;
};

/// One thing done to each finished element x of a product or convolution. The first four take a tensor.
enum class EpilogueKind : uint8_t {
  kAddChannel,       ///< x + t[channel]
  kMultiplyChannel,  ///< x * t[channel]
  kAddTensor,        ///< x + t, of one shape or broadcast
  kMultiplyTensor,   ///< x * t, of one shape or broadcast
#define CORACLE_FUNCTION(name, text) k##name,
  CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
};

struct EpilogueStep {
  EpilogueKind kind = EpilogueKind::kRelu;
  float a = 0;
  float b = 0;
  float c = 0;
  friend bool operator==(const EpilogueStep&, const EpilogueStep&) = default;
};

}  // namespace coracle
