// SPDX-License-Identifier: Apache-2.0
// y[batch, m, n] = sum over k of a[m, k] * b[k, n], and the epilogue. A work-group makes a tile of the result, each of
// its items ITEM_M x ITEM_N elements of that, through tiles of a and b in local memory. Each sum runs over k in order,
// in one accumulator: it does not depend on the tiles.
//
// b is a matrix, or (CONVOLUTION) what the windows of an image hold: k is (channel, window row, window column), n a
// pixel of the result.
//
// Defined by the host: GROUP_M, GROUP_N, ITEM_M, ITEM_N, TILE_K, BATCH_AXES(f), CONVOLUTION, KERNEL_H, KERNEL_W,
// CHANNEL (of element m, n), EPILOGUE_PARAMETERS, EPILOGUE.

#include "epilogue.cl"

#define TILE_M (GROUP_M * ITEM_M)
#define TILE_N (GROUP_N * ITEM_N)
#define ITEMS (GROUP_M * GROUP_N)

#define BATCH_PARAMETER(d) , const int batch##d, const int a_batch##d, const int b_batch##d
#define WALK_BATCH(d)                    \
  a_at += rest % batch##d * a_batch##d;  \
  b_at += rest % batch##d * b_batch##d;  \
  rest /= batch##d;

KERNEL(gemm)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT a, offset_t a_begin, GLOBAL const STORED* RESTRICT b, offset_t b_begin, const int rows, const int columns, const int depth,
                 const int a_row, const int a_depth, const int b_depth, const int b_column,
                 const int groups BATCH_AXES(BATCH_PARAMETER)
#if CONVOLUTION
                     , const int in_h, const int in_w, const int out_w, const int stride_h, const int stride_w,
                 const int pad_h, const int pad_w, const int dilation_h, const int dilation_w
#endif
                     EPILOGUE_PARAMETERS) {
  LOCAL_VAR float tile_a[TILE_K][TILE_M];
  LOCAL_VAR float tile_b[TILE_K][TILE_N];
#if CONVOLUTION
  LOCAL_VAR int pixel_y[TILE_N];
  LOCAL_VAR int pixel_x[TILE_N];
#endif
  a += a_begin;
  b += b_begin;
  y += y_begin;
  const int first_n = group_id(0) * TILE_N;
  const int first_m = group_id(1) * TILE_M;
  const int batch = group_id(2);
  const int own_n = local_id(0);
  const int own_m = local_id(1);
  const int item = own_m * GROUP_N + own_n;
  MAYBE_UNUSED int rest = batch;
  int a_at = 0;
  int b_at = 0;
  BATCH_AXES(WALK_BATCH)
#if CONVOLUTION
  for (int i = item; i < TILE_N; i += ITEMS) {
    const int n = first_n + i;
    pixel_y[i] = n / out_w * stride_h - pad_h;
    pixel_x[i] = n % out_w * stride_w - pad_w;
  }
  BARRIER();
#endif

  float sums[ITEM_M][ITEM_N];
  for (int i = 0; i < ITEM_M; ++i) {
    for (int j = 0; j < ITEM_N; ++j) sums[i][j] = 0;
  }
  for (int first_k = 0; first_k < depth; first_k += TILE_K) {
    for (int i = item; i < TILE_M * TILE_K; i += ITEMS) {
      const int kk = i % TILE_K;
      const int mm = i / TILE_K;
      const int k = first_k + kk;
      const int m = first_m + mm;
      tile_a[kk][mm] = m < rows && k < depth ? LOAD(a, a_at + m * a_row + k * a_depth) : 0.0f;
    }
#if CONVOLUTION
    for (int i = item; i < TILE_N * TILE_K; i += ITEMS) {
      const int nn = i % TILE_N;
      const int kk = i / TILE_N;
      const int k = first_k + kk;
      const int channel = k / (KERNEL_H * KERNEL_W);
      const int tap = k - channel * (KERNEL_H * KERNEL_W);
      const int iy = pixel_y[nn] + tap / KERNEL_W * dilation_h;
      const int ix = pixel_x[nn] + tap % KERNEL_W * dilation_w;
      const bool inside = k < depth && first_n + nn < columns && iy >= 0 && iy < in_h && ix >= 0 && ix < in_w;
      tile_b[kk][nn] = inside ? LOAD(b, b_at + (channel * in_h + iy) * in_w + ix) : 0.0f;
    }
#else
    for (int i = item; i < TILE_N * TILE_K; i += ITEMS) {
      const int nn = i % TILE_N;
      const int kk = i / TILE_N;
      const int k = first_k + kk;
      const int n = first_n + nn;
      tile_b[kk][nn] = k < depth && n < columns ? LOAD(b, b_at + k * b_depth + n * b_column) : 0.0f;
    }
#endif
    BARRIER();
    for (int kk = 0; kk < TILE_K; ++kk) {
      for (int i = 0; i < ITEM_M; ++i) {
        const float left = tile_a[kk][own_m + i * GROUP_M];
        for (int j = 0; j < ITEM_N; ++j) sums[i][j] = FMA(left, tile_b[kk][own_n + j * GROUP_N], sums[i][j]);
      }
    }
    BARRIER();
  }

  for (int i = 0; i < ITEM_M; ++i) {
    const int m = first_m + own_m + i * GROUP_M;
    for (int j = 0; j < ITEM_N; ++j) {
      const int n = first_n + own_n + j * GROUP_N;
      if (m >= rows || n >= columns) continue;
      const int position = (batch * rows + m) * columns + n;
      MAYBE_UNUSED const int channel = CHANNEL;
      float v = sums[i][j];
      EPILOGUE
      STORE(y, position, v);
    }
  }
}
