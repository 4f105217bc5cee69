// SPDX-License-Identifier: Apache-2.0
//
// Packs B into panels: [panel][tap][k][column]; paired panels [panel][tap][k / 2][column][k % 2]. Included only by
// gemm.cc.
#pragma once

#include <cstring>

#include "gemm_tile.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

// One tap of a plain panel: adjacent k of a column lie apart by one float in the source (a transposed matrix). Reads
// whole cache lines of a column before going on.
HWY_INLINE void pack_transposed(const float* from, int64_t depth, int64_t column_stride, int64_t columns, int64_t width,
                                float* to) {
  constexpr int64_t kBlock = 16;
  for (int64_t k = 0; k < depth; k += kBlock) {
    const int64_t end = k + kBlock < depth ? k + kBlock : depth;
    for (int64_t c = 0; c < columns; ++c) {
      const float* column = from + c * column_stride;
      for (int64_t i = k; i < end; ++i) to[i * width + c] = column[i];
    }
    for (int64_t i = k; i < end; ++i) {
      for (int64_t c = columns; c < width; ++c) to[i * width + c] = 0.0f;
    }
  }
}

HWY_INLINE void pack_tap(const GemmShape& shape, const GemmSource& source, const float* from, int64_t columns,
                         Panel panel, float* to) {
  const int64_t width = static_cast<int64_t>(panel.columns());
  const int64_t inner = source.inner > 0 ? source.inner : 1;
  if (!panel.paired && source.inner == shape.depth && source.column_stride == 1) {
    for (int64_t k = 0; k < shape.depth; ++k, to += width) {
      const float* row = from + k * source.inner_stride;
      if (columns == static_cast<int64_t>(kPanelColumns)) {
        memcpy(to, row, kPanelColumns * sizeof(float));
        continue;
      }
      for (int64_t c = 0; c < columns; ++c) to[c] = row[c];
      for (int64_t c = columns; c < width; ++c) to[c] = 0.0f;
    }
    return;
  }
  if (!panel.paired && source.inner == shape.depth && source.inner_stride == 1) {
    pack_transposed(from, shape.depth, source.column_stride, columns, width, to);
    return;
  }
  const int64_t padded = panel.paired ? (shape.depth + 1) / 2 * 2 : shape.depth;
  for (int64_t k = 0; k < padded; ++k) {
    const float* row = from + k / inner * source.join_stride + k % inner * source.inner_stride;
    float* line = panel.paired ? to + k / 2 * 2 * width + k % 2 : to + k * width;
    const int64_t step = panel.paired ? 2 : 1;
    for (int64_t c = 0; c < width; ++c) {
      line[c * step] = k < shape.depth && c < columns ? row[c * source.column_stride] : 0.0f;
    }
  }
}

}  // namespace
}  // namespace coracle::cpu::CORACLE_ISA
