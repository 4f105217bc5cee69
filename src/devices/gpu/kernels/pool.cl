// SPDX-License-Identifier: Apache-2.0
// Pooling of planes [planes, depth, height, width]: one item for each element of the result, which goes through its
// window in the order of memory.
// Defined by the host: AVERAGE, ADAPTIVE (windows divide the input), EXCLUSIVE (padding does not count).

#define AXIS_PARAMETERS(a) , const int in_##a, const int out_##a, const int kernel_##a, const int stride_##a, \
                           const int pad_##a

#if ADAPTIVE
#define WINDOW(a, o)                              \
  const int begin_##a = (int)((i64)o * in_##a / out_##a);            \
  const int end_##a = (int)(((i64)(o + 1) * in_##a + out_##a - 1) / out_##a);
#else
#define WINDOW(a, o)                                       \
  const int start_##a = o * stride_##a - pad_##a;          \
  const int begin_##a = max(start_##a, 0);                 \
  const int end_##a = min(start_##a + kernel_##a, in_##a);
#endif
#if ADAPTIVE || EXCLUSIVE
#define DIVISOR(a) (end_##a - begin_##a)
#else
#define DIVISOR(a) (min(start_##a + kernel_##a, in_##a + pad_##a) - start_##a)
#endif

KERNEL(pool)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT x, offset_t x_begin, const int count AXIS_PARAMETERS(d) AXIS_PARAMETERS(h)
                     AXIS_PARAMETERS(w)) {
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
  WINDOW(d, od)
  WINDOW(h, oh)
  WINDOW(w, ow)
  float v = AVERAGE ? 0.0f : LOWEST_STORED;
  for (int iz = begin_d; iz < end_d; ++iz) {
    for (int iy = begin_h; iy < end_h; ++iy) {
      const int row = ((plane * in_d + iz) * in_h + iy) * in_w;
      for (int ix = begin_w; ix < end_w; ++ix) {
        const float e = LOAD(x, row + ix);
        v = AVERAGE ? v + e : (v > e ? v : e);
      }
    }
  }
  if (AVERAGE) v /= (float)(DIVISOR(d) * DIVISOR(h) * DIVISOR(w));
  STORE(y, id, v);
}
