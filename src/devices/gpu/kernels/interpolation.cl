// SPDX-License-Identifier: Apache-2.0
// Resized planes [planes, depth, height, width]. Positions are computed in float, half-pixel centres exactly (the sum
// of a product and its rounding error): rounding decides which element is read.
// Defined by the host: TAPS (1 nearest, 2 linear, 4 cubic), HALF_PIXEL, ALIGN_CORNERS, HAS_ADDEND (which is added, times the
// number of its plane if HAS_FACTOR: the planes have `factors` numbers in turn).

#define AXIS_PARAMETERS(a) , const int in_##a, const int out_##a, const float ratio_##a, const int resized_##a

FN int within(int i, int n) { return i < 0 ? 0 : (i >= n ? n - 1 : i); }
FN float cubic_near(float x) { return (1.25f * x - 2.25f) * x * x + 1.0f; }
FN float cubic_far(float x) { return ((-0.75f * x + 3.75f) * x - 6.0f) * x + 3.0f; }

// Element `o` of an axis is the sum of weight[i] * x[index[i]].
FN void taps_of(int o, int in, float ratio, int resized, int* index, float* weight) {
  UNROLL
  for (int i = 0; i < TAPS; ++i) {
    index[i] = 0;
    weight[i] = 0;
  }
  weight[0] = 1;
  index[0] = o;
  if (!resized) return;
  const float k = (float)o;
  // ratio * (k + 0.5) - 0.5, as a number and what rounding left of it.
  const float product = ratio * (k + 0.5f);
  const float left = MATH(fma)(ratio, k + 0.5f, -product);
  const float shifted = product - 0.5f;
  const float moved = shifted - product;
  const float shift_left = (product - (shifted - moved)) - (0.5f + moved) + left;
  MAYBE_UNUSED const float centre = shifted + shift_left;
#if TAPS == 1
  const float at = ratio * k;
  index[0] = within((int)(ALIGN_CORNERS ? MATH(round)(at) : at), in);
#elif TAPS == 2
  const float at = HALF_PIXEL ? MATH(fmax)(centre, 0.0f) : ratio * k;
  int low = (int)at;
  // A sum just below a whole number is rounded up to it.
  if (HALF_PIXEL && low > 0 && (shifted - (float)low) + shift_left < 0) low -= 1;
  index[0] = within(low, in);
  index[1] = within(low + 1, in);
  weight[1] = at - (float)low;
  weight[0] = 1.0f - weight[1];
#else
  const float at = ALIGN_CORNERS ? ratio * k : centre;
  const float low = MATH(floor)(at);
  const float rest = at - low;
  UNROLL
  for (int i = 0; i < 4; ++i) index[i] = within((int)low - 1 + i, in);
  weight[0] = cubic_far(rest + 1.0f);
  weight[1] = cubic_near(rest);
  weight[2] = cubic_near(1.0f - rest);
  weight[3] = cubic_far(2.0f - rest);
#endif
}

KERNEL(interpolation)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT x, offset_t x_begin, const int count AXIS_PARAMETERS(d) AXIS_PARAMETERS(h)
                              AXIS_PARAMETERS(w)
#if HAS_ADDEND
                                  , GLOBAL const STORED* addend, offset_t addend_begin
#endif
#if HAS_FACTOR
                                  , GLOBAL const STORED* factor, offset_t factor_begin, const int factors
#endif
) {
  const int id = global_id(0);
  if (id >= count) return;
  x += x_begin;
  y += y_begin;
  int rest = id;
  const int ow = rest % out_w;
  rest /= out_w;
  const int oh = rest % out_h;
  rest /= out_h;
  const int od = rest % out_d;
  const int plane = rest / out_d;
  int at_d[TAPS];
  int at_h[TAPS];
  int at_w[TAPS];
  float by_d[TAPS];
  float by_h[TAPS];
  float by_w[TAPS];
  taps_of(od, in_d, ratio_d, resized_d, at_d, by_d);
  taps_of(oh, in_h, ratio_h, resized_h, at_h, by_h);
  taps_of(ow, in_w, ratio_w, resized_w, at_w, by_w);
  const int taps_d = resized_d ? TAPS : 1;
  const int taps_h = resized_h ? TAPS : 1;
  const int taps_w = resized_w ? TAPS : 1;
  float sum = 0;
  UNROLL
  for (int i = 0; i < TAPS; ++i) {
    UNROLL
    for (int j = 0; j < TAPS; ++j) {
      const int row = ((plane * in_d + at_d[i]) * in_h + at_h[j]) * in_w;
      UNROLL
      for (int k = 0; k < TAPS; ++k) {
        if (i < taps_d && j < taps_h && k < taps_w) sum += by_d[i] * by_h[j] * by_w[k] * LOAD(x, row + at_w[k]);
      }
    }
  }
#if HAS_FACTOR
  sum += LOAD(addend, addend_begin + id) * LOAD(factor, factor_begin + plane % factors);
#elif HAS_ADDEND
  sum += LOAD(addend, addend_begin + id);
#endif
  STORE(y, id, sum);
}
