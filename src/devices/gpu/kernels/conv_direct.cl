// SPDX-License-Identifier: Apache-2.0
// A convolution with few channels in each group, above all one (depthwise), or (TRANSPOSED) the gradient of one: an
// item for each element of the result, which sums over channel, window row and window column in this order. Only what
// lies inside the image is multiplied.
//
// Defined by the host: TRANSPOSED, KERNEL_H, KERNEL_W, EPILOGUE_PARAMETERS, EPILOGUE; for int8, whose sums are exact and
// rounded to float once: INTEGERS, RESULT, FINISHED.

#include "epilogue.cl"

#ifdef INTEGERS
#define OPERAND s8
#define NUMBER(p, i) ((int)(p)[i])
#define SUM int
#define PUT(p, i) ((p)[i] = FINISHED)
#else
#define OPERAND STORED
#define NUMBER LOAD
#define SUM float
#define RESULT STORED
#define PUT(p, i) STORE(p, i, v)
#endif

KERNEL(conv_direct)(GLOBAL RESULT* RESTRICT y, offset_t y_begin, GLOBAL const OPERAND* RESTRICT x, offset_t x_begin, GLOBAL const OPERAND* RESTRICT filter, offset_t filter_begin, const int count, const int groups,
                        const int in_channels, const int out_channels, const int in_h, const int in_w,
                        const int out_h, const int out_w, const int stride_h, const int stride_w, const int pad_h,
                        const int pad_w, const int dilation_h, const int dilation_w EPILOGUE_PARAMETERS) {
  const int position = global_id(0);
  if (position >= count) return;
  x += x_begin;
  filter += filter_begin;
  y += y_begin;
  int rest = position;
  const int ox = rest % out_w;
  rest /= out_w;
  const int oy = rest % out_h;
  rest /= out_h;
  // in_channels and out_channels are those of a group.
  const int channel = rest % (groups * out_channels);
  const int image = rest / (groups * out_channels);
  const int group = channel / out_channels;
  const int first = (image * groups + group) * in_channels;
  SUM sum = 0;
  for (int c = 0; c < in_channels; ++c) {
    const int plane = (first + c) * in_h;
#if TRANSPOSED
    const int taps = ((group * in_channels + c) * out_channels + channel % out_channels) * (KERNEL_H * KERNEL_W);
#else
    const int taps = (channel * in_channels + c) * (KERNEL_H * KERNEL_W);
#endif
    for (int ky = 0; ky < KERNEL_H; ++ky) {
#if TRANSPOSED
      const int from_y = oy + pad_h - ky * dilation_h;
      const int iy = from_y / stride_h;
      if (from_y < 0 || iy * stride_h != from_y || iy >= in_h) continue;
#else
      const int iy = oy * stride_h - pad_h + ky * dilation_h;
      if (iy < 0 || iy >= in_h) continue;
#endif
      for (int kx = 0; kx < KERNEL_W; ++kx) {
#if TRANSPOSED
        const int from_x = ox + pad_w - kx * dilation_w;
        const int ix = from_x / stride_w;
        if (from_x < 0 || ix * stride_w != from_x || ix >= in_w) continue;
#else
        const int ix = ox * stride_w - pad_w + kx * dilation_w;
        if (ix < 0 || ix >= in_w) continue;
#endif
        sum += NUMBER(x, (plane + iy) * in_w + ix) * NUMBER(filter, taps + ky * KERNEL_W + kx);
      }
    }
  }
  float v = (float)sum;
  EPILOGUE
  PUT(y, position);
}
