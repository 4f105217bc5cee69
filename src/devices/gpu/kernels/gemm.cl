// SPDX-License-Identifier: Apache-2.0
// y[batch, m, n] = sum over k of a[m, k] * b[k, n], and the epilogue. While a work-group computes with one pair of tiles
// (product_tiles.cl), the next one is on its way to registers. Each sum runs over k in order, in one accumulator: it does
// not depend on the tiles.
//
// b is a matrix, or (CONVOLUTION) what the windows of an image hold: k is (channel, window row, window column), n a
// pixel of the result.
//
// Defined by the host beside what product_tiles.cl needs: A_ALONG_K and B_ALONG_K (neighbours in memory differ in k, or
// else in m and n), CONVOLUTION, KERNEL_H, KERNEL_W, CHANNEL (of element m, n), EPILOGUE_PARAMETERS, EPILOGUE.

#include "epilogue.cl"
#include "product_tiles.cl"

KERNEL_OF(gemm, GROUP_N, GROUP_M)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT a, offset_t a_begin, GLOBAL const STORED* RESTRICT b, offset_t b_begin, const int rows, const int columns, const int depth,
                 const int a_row, const int a_depth, const int b_depth, const int b_column,
                 const int groups BATCH_AXES(BATCH_PARAMETER)
#if CONVOLUTION
                     , const int in_h, const int in_w, const int out_w, const int stride_h, const int stride_w,
                 const int pad_h, const int pad_w, const int dilation_h, const int dilation_w
#endif
                     EPILOGUE_PARAMETERS) {
  LOCAL_VAR float tile_a[TILE_K][TILE_M + PAD];
  LOCAL_VAR float tile_b[TILE_K][TILE_N + PAD];
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
  UNROLL
  for (int i = 0; i < ITEM_M; ++i) {
    UNROLL
    for (int j = 0; j < ITEM_N; ++j) sums[i][j] = 0;
  }
  float part_a[PART_A];
  float part_b[PART_B];
  // The first round only brings tiles, the last one only computes.
  for (int next_k = 0; next_k < depth + TILE_K; next_k += TILE_K) {
    if (next_k < depth) {
      UNROLL
      for (int i = 0; i < PART_A; ++i) {
        const int at = item + i * ITEMS;
        const int k = next_k + K_OF(at, A_ALONG_K, TILE_M);
        const int m = first_m + LINE_OF(at, A_ALONG_K, TILE_M);
        part_a[i] = m < rows && k < depth ? LOAD(a, a_at + m * a_row + k * a_depth) : 0.0f;
      }
      UNROLL
      for (int i = 0; i < PART_B; ++i) {
        const int at = item + i * ITEMS;
        const int k = next_k + K_OF(at, B_ALONG_K, TILE_N);
        const int nn = LINE_OF(at, B_ALONG_K, TILE_N);
#if CONVOLUTION
        const int channel = k / (KERNEL_H * KERNEL_W);
        const int tap = k - channel * (KERNEL_H * KERNEL_W);
        const int iy = pixel_y[nn] + tap / KERNEL_W * dilation_h;
        const int ix = pixel_x[nn] + tap % KERNEL_W * dilation_w;
        const bool inside = k < depth && first_n + nn < columns && iy >= 0 && iy < in_h && ix >= 0 && ix < in_w;
        part_b[i] = inside ? LOAD(b, b_at + (channel * in_h + iy) * in_w + ix) : 0.0f;
#else
        const int n = first_n + nn;
        part_b[i] = k < depth && n < columns ? LOAD(b, b_at + k * b_depth + n * b_column) : 0.0f;
#endif
      }
    }
    if (next_k > 0) {
      for (int kk = 0; kk < TILE_K; ++kk) {
        float left[ITEM_M];
        float right[ITEM_N];
        UNROLL
        for (int i = 0; i < ITEM_M; ++i) left[i] = tile_a[kk][ROW(i)];
        UNROLL
        for (int j = 0; j < ITEM_N; ++j) right[j] = tile_b[kk][COLUMN(j)];
        UNROLL
        for (int i = 0; i < ITEM_M; ++i) {
          UNROLL
          for (int j = 0; j < ITEM_N; ++j) sums[i][j] = FMA(left[i], right[j], sums[i][j]);
        }
      }
      BARRIER();
    }
    if (next_k < depth) {
      UNROLL
      for (int i = 0; i < PART_A; ++i) {
        const int at = item + i * ITEMS;
        if (at < TILE_M * TILE_K) tile_a[K_OF(at, A_ALONG_K, TILE_M)][LINE_OF(at, A_ALONG_K, TILE_M)] = part_a[i];
      }
      UNROLL
      for (int i = 0; i < PART_B; ++i) {
        const int at = item + i * ITEMS;
        if (at < TILE_N * TILE_K) tile_b[K_OF(at, B_ALONG_K, TILE_N)][LINE_OF(at, B_ALONG_K, TILE_N)] = part_b[i];
      }
      BARRIER();
    }
  }

  UNROLL
  for (int i = 0; i < ITEM_M; ++i) {
    const int m = first_m + ROW(i);
    UNROLL
    for (int j = 0; j < ITEM_N; ++j) {
      const int n = first_n + COLUMN(j);
      if (m >= rows || n >= columns) continue;
      const int position = (batch * rows + m) * columns + n;
      MAYBE_UNUSED const int channel = CHANNEL;
      float v = sums[i][j];
      EPILOGUE
      STORE(y, position, v);
    }
  }
}
