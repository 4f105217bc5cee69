// SPDX-License-Identifier: Apache-2.0
// One element through one function: f_<name>(x, a, b, c), with names and numbers of base/element_steps.h; operators that
// have none there are called by their own names. What is not a number stays so unless a comparison says otherwise.

#define FORMULA(name) FN float f_##name(float x, float a, float b, float c)

FN float at_least(float x, float low) { return x < low ? low : x; }
FN float at_most(float x, float high) { return high < x ? high : x; }
FN float logistic(float x) { return 1.0f / (1.0f + MATH(exp)(-x)); }
FN float log_of_one_and_exp(float x) { return x > 0 ? x + MATH(log1p)(MATH(exp)(-x)) : MATH(log1p)(MATH(exp)(x)); }

FORMULA(abs) { return MATH(fabs)(x); }
FORMULA(acos) { return MATH(acos)(x); }
FORMULA(asin) { return MATH(asin)(x); }
FORMULA(atan) { return MATH(atan)(x); }
FORMULA(ceil) { return MATH(ceil)(x); }
FORMULA(celu) { return x < 0 ? a * MATH(expm1)(x / a) : x; }
FORMULA(clip) { return at_most(at_least(x, a), b); }
FORMULA(cos) { return MATH(cos)(x); }
FORMULA(cosh) { return MATH(cosh)(x); }
FORMULA(elu) { return x > 0 ? x : a * MATH(expm1)(x); }
FORMULA(erf) { return MATH(erf)(x); }
FORMULA(exp) { return MATH(exp)(x); }
FORMULA(expm1) { return MATH(expm1)(x); }
FORMULA(floor) { return MATH(floor)(x); }
FORMULA(gelu_tanh) { return 0.5f * x * (1.0f + MATH(tanh)(0.79788456f * (x + 0.044715f * x * x * x))); }
FORMULA(gelu) { return 0.5f * x * (1.0f + MATH(erf)(x * 0.70710678f)); }
FORMULA(hardshrink) { return MATH(fabs)(x) <= a ? 0.0f : x; }
FORMULA(hardsigmoid) { return at_most(at_least(a * x + b, 0.0f), 1.0f); }
FORMULA(hardswish) { return x * at_most(at_least(x + a, 0.0f), b) / c; }
FORMULA(identity) { return x; }
FORMULA(leaky_relu) { return x > 0 ? x : a * x; }
FORMULA(log) { return MATH(log)(x); }
FORMULA(log10) { return MATH(log10)(x); }
FORMULA(log1p) { return MATH(log1p)(x); }
FORMULA(log2) { return MATH(log2)(x); }
FORMULA(logsigmoid) { return -log_of_one_and_exp(-x); }
// The logarithm is x to the last bit above 20.
FORMULA(mish) { return x * MATH(tanh)(x > 20.0f ? x : MATH(log1p)(MATH(exp)(x))); }
FORMULA(negative) { return -x; }
FORMULA(pow) { return MATH(pow)(x, a); }
FORMULA(reciprocal) { return 1.0f / x; }
FORMULA(relu) { return x > 0 ? x : 0.0f; }
FORMULA(round_half_away) { return MATH(round)(x); }
FORMULA(round_half_even) { return MATH(rint)(x); }
FORMULA(rsqrt) { return 1.0f / MATH(sqrt)(x); }
FORMULA(scale_shift) { return a * x + b; }
FORMULA(selu) { return b * (x > 0 ? x : a * MATH(expm1)(x)); }
FORMULA(shift_scale) { return (x + b) * a; }
FORMULA(sigmoid) { return logistic(x); }
FORMULA(sign) { return x > 0 ? 1.0f : (x < 0 ? -1.0f : x); }
FORMULA(sin) { return MATH(sin)(x); }
FORMULA(sinh) { return MATH(sinh)(x); }
FORMULA(softplus) { return a * x > b ? x : log_of_one_and_exp(a * x) / a; }
FORMULA(softshrink) { return (x > a ? 1.0f : 0.0f) * (x - a) + (x < -a ? 1.0f : 0.0f) * (x + a); }
FORMULA(softsign) { return x / (1.0f + MATH(fabs)(x)); }
FORMULA(sqrt) { return MATH(sqrt)(x); }
FORMULA(square) { return x * x; }
FORMULA(stanh) { return b * MATH(tanh)(a * x); }
FORMULA(swish) { return x / (1.0f + MATH(exp)(-a * x)); }
FORMULA(tan) { return MATH(tan)(x); }
FORMULA(tanh) { return MATH(tanh)(x); }
FORMULA(tanh_shrink) { return x - MATH(tanh)(x); }
FORMULA(thresholded_relu) { return x > a ? x : x * 0.0f + b; }
FORMULA(trunc) { return MATH(trunc)(x); }

// What the CPU makes of them behind sums of integers, bit by bit: a factor, and one rounding of a product and a sum.
FORMULA(hardswish_by) { return x * at_most(at_least(x + a, 0.0f), b) * c; }
FORMULA(hardsigmoid_fused) { return at_most(at_least(MATH(fma)(a, x, b), 0.0f), 1.0f); }
FORMULA(scale_shift_fused) { return MATH(fma)(a, x, b); }

// Whole numbers of int8 as floats, 0 for what is not a number: half to even and clipped; or clipped to the scale, in
// steps of which 1 / factor make one, then half away from zero.
FN float int8_even(float x, float inverse) {
  const float q = MATH(rint)(x * 127.0f * inverse);
  return q == q ? at_most(at_least(q, -128.0f), 127.0f) : 0.0f;
}
FN float int8_away(float x, float scale, float factor) {
  return x == x ? MATH(round)(factor * at_most(at_least(x, -scale), scale)) : 0.0f;
}

#ifdef T
// Whole numbers divided by zero give zero.
FN T floor_quotient(T x, T y) {
  if (y == 0) return 0;
  if (y == -1) return (T)(0 - (U)x);
  return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}
FN T floor_remainder(T x, T y) {
  if (y == 0 || y == -1) return 0;
  const T r = x % y;
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
#endif

// Real numbers cut to whole ones: the smallest for all that does not fit.
FN i32 whole_i32(float x) { return x >= -2147483648.0f && x < 2147483648.0f ? (int)x : (-2147483647 - 1); }
FN i32 whole_or_smallest(i64 x) { return x >= -2147483647 && x <= 2147483647 ? (i32)x : (-2147483647 - 1); }
FN i64 whole_i64(float x) { return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? (i64)x : (i64)((u64)1 << 63); }
