// SPDX-License-Identifier: Apache-2.0
//
// Packs B into panels: [panel][tap][k][column]; paired panels [panel][tap][k / 2][column][k % 2]. Included only by
// gemm.cc.
#pragma once

#include <cstring>

#include "denormals.h"
#include "gemm_tile.h"
#include "transpose_tile.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// One tap of a plain panel whose columns lie apart in the source: `count` of its `width` columns, from one on.
HWY_INLINE void pack_columns(const float* from, int64_t depth, int64_t inner_stride, int64_t column_stride,
                             int64_t count, int64_t width, float* to) {
  constexpr int64_t kBlock = 16;  // whole cache lines of a column before going on
  for (int64_t k = 0; k < depth; k += kBlock) {
    const int64_t end = k + kBlock < depth ? k + kBlock : depth;
    for (int64_t c = 0; c < count; ++c) {
      const float* column = from + c * column_stride;
      for (int64_t i = k; i < end; ++i) to[i * width + c] = column[i * inner_stride];
    }
  }
}

// The same where adjacent k of a column are adjacent: a transposed matrix.
HWY_INLINE void pack_transposed(const float* from, int64_t depth, int64_t column_stride, int64_t count, int64_t width,
                                float* to) {
  const FloatTag d;
  constexpr int64_t kLanes = kFloatLanes;
  constexpr int64_t kSide = 4;  // k of a tile
  const int64_t whole = depth / kSide * kSide;
  int64_t c = 0;
  for (; c + kLanes <= count; c += kLanes) {
    const float* columns = from + c * column_stride;
    for (int64_t k = 0; k < whole; k += kSide) {
      transpose_tile(d, columns + k, static_cast<size_t>(column_stride), to + k * width + c,
                     static_cast<size_t>(width));
    }
    pack_columns(columns + whole, depth - whole, 1, column_stride, kLanes, width, to + whole * width + c);
  }
  pack_columns(from + c * column_stride, depth, 1, column_stride, count - c, width, to + c);
}

// Full panels of a matrix whose rows are adjacent floats, without denormals: each row is read once and goes to places
// `panel_floats` apart.
HWY_INLINE void pack_rows(const float* from, int64_t depth, int64_t stride, int64_t panels, int64_t panel_floats,
                          float scale, float* to) {
  const FloatTag d;
  const V by = hn::Set(d, scale);
  for (int64_t k = 0; k < depth; ++k, from += stride, to += kPanelColumns) {
    for (int64_t p = 0; p < panels; ++p) {
      CORACLE_UNROLL for (int j = 0; j < kPanelVectors; ++j) {
        const V v = hn::LoadU(d, from + p * static_cast<int64_t>(kPanelColumns) + j * kFloatLanes);
        hn::StoreU(flushed(v, by), d, to + p * panel_floats + j * kFloatLanes);
      }
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
  if (!panel.paired && source.inner == shape.depth) {
    if (source.inner_stride == 1) {
      pack_transposed(from, shape.depth, source.column_stride, columns, width, to);
    } else {
      pack_columns(from, shape.depth, source.inner_stride, source.column_stride, columns, width, to);
    }
    for (int64_t k = 0; k < shape.depth && columns < width; ++k) {
      memset(to + k * width + columns, 0, static_cast<size_t>(width - columns) * sizeof(float));
    }
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
}  // namespace coracle::internal::cpu::CORACLE_ISA
