// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Functions of one real number that operators, epilogues and kernels share: plain data, for units that are compiled
/// for one instruction set too.
namespace coracle::internal {

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

// The other functions that operators are, and their names.
#define CORACLE_PLAIN_FUNCTIONS(FUNCTION)                                                    \
  FUNCTION(Identity, "identity")                                                             \
  FUNCTION(ShiftScale, "shift_scale") /* (x + b) * a */                                      \
  FUNCTION(LogSigmoid, "logsigmoid")                                                         \
  FUNCTION(ScaledTanh, "stanh")                 /* b * tanh(a * x) */                        \
  FUNCTION(TanhShrink, "tanh_shrink")           /* x - tanh(x) */                            \
  FUNCTION(Selu, "selu")                        /* b * elu(x, a): alpha, scale */            \
  FUNCTION(Celu, "celu")                        /* x > 0 ? x : a * (e^(x / a) - 1) */        \
  FUNCTION(Softsign, "softsign")                /* x / (1 + |x|) */                          \
  FUNCTION(HardShrink, "hardshrink")            /* |x| <= a ? 0 : x */                       \
  FUNCTION(SoftShrink, "softshrink")            /* (x > a) * (x - a) + (x < -a) * (x + a) */ \
  FUNCTION(ThresholdedRelu, "thresholded_relu") /* x * (x > a) + b * (x <= a) */             \
  FUNCTION(Negative, "negative")                                                             \
  FUNCTION(Sign, "sign")                                                                     \
  FUNCTION(Rsqrt, "rsqrt")                                                                   \
  FUNCTION(Reciprocal, "reciprocal")                                                         \
  FUNCTION(Expm1, "expm1")                                                                   \
  FUNCTION(Log, "log")                                                                       \
  FUNCTION(Log1p, "log1p")                                                                   \
  FUNCTION(Log2, "log2")                                                                     \
  FUNCTION(Log10, "log10")                                                                   \
  FUNCTION(Erf, "erf")                                                                       \
  FUNCTION(Sin, "sin")                                                                       \
  FUNCTION(Cos, "cos")                                                                       \
  FUNCTION(Atan, "atan")                                                                     \
  FUNCTION(Floor, "floor")                                                                   \
  FUNCTION(Ceil, "ceil")                                                                     \
  FUNCTION(RoundHalfEven, "round_half_even")                                                 \
  FUNCTION(RoundHalfAway, "round_half_away")                                                 \
  FUNCTION(Truncate, "trunc")                                                                \
  FUNCTION(Pow, "pow") /* x^a */

/// y = f(x); a, b and c are the numbers in UnaryStep. NaN gives NaN unless a comparison says otherwise.
enum class UnaryKind : int32_t {
#define CORACLE_FUNCTION(name, text) k##name,
  CORACLE_PLAIN_FUNCTIONS(CORACLE_FUNCTION) CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
};

/// "hardswish": an epilogue has the same name for the same function.
constexpr const char* name_of(UnaryKind kind) {
  switch (kind) {
#define CORACLE_FUNCTION(name, text) \
  case UnaryKind::k##name: return text;
    CORACLE_PLAIN_FUNCTIONS(CORACLE_FUNCTION)
    CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
  }
  return "";
}

struct UnaryStep {
  UnaryKind kind = UnaryKind::kIdentity;
  float a = 0;
  float b = 0;
  float c = 0;
};

/// One thing done to each finished element x of a product or convolution. The first five take a tensor.
enum class EpilogueKind : uint8_t {
  kAddChannel,       ///< x + t[channel]
  kMultiplyChannel,  ///< x * t[channel]
  kAddTensor,        ///< x + t, of one shape or broadcast
  kMultiplyTensor,   ///< x * t, of one shape or broadcast
  kAddIntegers,      ///< x + a * t, int8, of one shape or broadcast; of products of integers alone
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

}  // namespace coracle::internal
