// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/transpose.h"

#include <cstring>

#include "transpose_tile.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

template <class T>
HWY_NOINLINE void transpose_plain(const T* x, size_t x_stride, T* y, size_t y_stride, size_t rows, size_t columns) {
  for (size_t c = 0; c < columns; ++c) {
    for (size_t r = 0; r < rows; ++r) y[c * y_stride + r] = x[r * x_stride + c];
  }
}

// Calls step(c) for vectors that cover [0, count), the last of them over the end of the one before; gives how far that
// came: nowhere if there is less than one vector.
template <size_t kLanes, class F>
HWY_INLINE size_t cover(size_t count, F step) {
  if (count < kLanes) return 0;
  for (size_t c = 0; c + kLanes <= count; c += kLanes) step(c);
  if (count % kLanes != 0) step(count - kLanes);
  return count;
}

// Two or three rows of x become interleaved: the channels of an image.
template <class T>
HWY_INLINE size_t interleave(const T* x, size_t x_stride, T* y, size_t rows, size_t columns) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = HWY_LANES(T);
  if (rows == 3) {
    return cover<kLanes>(columns, [=](size_t c) {
      hn::StoreInterleaved3(hn::LoadU(d, x + c), hn::LoadU(d, x + x_stride + c), hn::LoadU(d, x + 2 * x_stride + c), d,
                            y + 3 * c);
    });
  }
  if (rows == 2) {
    return cover<kLanes>(columns, [=](size_t c) {
      hn::StoreInterleaved2(hn::LoadU(d, x + c), hn::LoadU(d, x + x_stride + c), d, y + 2 * c);
    });
  }
  return 0;
}

template <class T>
HWY_INLINE size_t deinterleave(const T* x, T* y, size_t y_stride, size_t rows, size_t columns) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = HWY_LANES(T);
  if (columns == 3) {
    return cover<kLanes>(rows, [=](size_t r) {
      hn::Vec<decltype(d)> v0, v1, v2;
      hn::LoadInterleaved3(d, x + 3 * r, v0, v1, v2);
      hn::StoreU(v0, d, y + r);
      hn::StoreU(v1, d, y + y_stride + r);
      hn::StoreU(v2, d, y + 2 * y_stride + r);
    });
  }
  if (columns == 2) {
    return cover<kLanes>(rows, [=](size_t r) {
      hn::Vec<decltype(d)> v0, v1;
      hn::LoadInterleaved2(d, x + 2 * r, v0, v1);
      hn::StoreU(v0, d, y + r);
      hn::StoreU(v1, d, y + y_stride + r);
    });
  }
  return 0;
}

template <class T>
HWY_NOINLINE void transpose_matrix(const T* x, size_t x_stride, T* y, size_t y_stride, size_t rows, size_t columns) {
  if (rows == y_stride && rows <= 3 && sizeof(T) <= 4) {
    const size_t done = interleave(x, x_stride, y, rows, columns);
    return transpose_plain(x + done, x_stride, y + done * y_stride, y_stride, rows, columns - done);
  }
  if (columns == x_stride && columns <= 3 && sizeof(T) <= 4) {
    const size_t done = deinterleave(x, y, y_stride, rows, columns);
    return transpose_plain(x + done * x_stride, x_stride, y + done, y_stride, rows - done, columns);
  }
  const hn::ScalableTag<T> wide;
  const hn::CappedTag<T, 16 / sizeof(T)> narrow;
  constexpr size_t kSide = 16 / sizeof(T);
  constexpr size_t kWide = HWY_LANES(T);
  // Blocks that are read from and written to whole cache lines, few enough for the caches and their address
  // translation.
  constexpr size_t kPanel = 64 / sizeof(T);
  constexpr size_t kRowBlock = 256;
  // The next lines of few rows that lie far apart: what the processor sees coming is the one row that y continues.
  constexpr size_t kFewRows = 64;
  constexpr size_t kAhead = 2 * kPanel;
  // A panel has kPanel lines of y, half written. Where they lie so that they drive each other out of the level-1 cache,
  // they are written whole, unless the rows of x that this takes lie so themselves.
  constexpr size_t kFarApart = 1024;  // 8 lines fit of those whose distance is a multiple of 4096 bytes
  constexpr bool kHalfLines = kWide < kPanel && (sizeof(T) == 2 || sizeof(T) == 4);
  const bool whole_lines = kHalfLines && y_stride % kFarApart == 0 && x_stride % kFarApart != 0;
  for (size_t block = 0; block < rows; block += kRowBlock) {
    const size_t block_end = block + kRowBlock < rows ? block + kRowBlock : rows;
    for (size_t panel = 0; panel < columns; panel += kPanel) {
      const size_t panel_end = panel + kPanel < columns ? panel + kPanel : columns;
      const size_t tiled = panel + (panel_end - panel) / kSide * kSide;
      size_t r = block;
      const bool prefetches = rows <= kFewRows && panel + kAhead < columns;
      if (whole_lines) {
        for (; r + kPanel <= block_end; r += kPanel) {
          for (size_t c = panel; c < tiled; c += kSide) {
            for (size_t i = r; i < r + kPanel; i += kWide) {
              transpose_tile(wide, x + i * x_stride + c, x_stride, y + c * y_stride + i, y_stride);
            }
          }
        }
      }
      for (; r + kWide <= block_end; r += kWide) {
        if (prefetches) {
          for (size_t i = r; i < r + kWide; ++i) __builtin_prefetch(x + i * x_stride + panel + kAhead);
        }
        for (size_t c = panel; c < tiled; c += kSide) {
          transpose_tile(wide, x + r * x_stride + c, x_stride, y + c * y_stride + r, y_stride);
        }
      }
      for (; r + kSide <= block_end; r += kSide) {
        for (size_t c = panel; c < tiled; c += kSide) {
          transpose_tile(narrow, x + r * x_stride + c, x_stride, y + c * y_stride + r, y_stride);
        }
      }
      transpose_plain(x + r * x_stride + panel, x_stride, y + panel * y_stride + r, y_stride, block_end - r,
                      tiled - panel);
      transpose_plain(x + block * x_stride + tiled, x_stride, y + tiled * y_stride + block, y_stride, block_end - block,
                      panel_end - tiled);
    }
  }
}

void matrix(size_t element_size, const void* x, size_t x_stride, void* y, size_t y_stride, size_t rows,
            size_t columns) {
  const auto run = [=](auto type) {
    using T = decltype(type);
    transpose_matrix(static_cast<const T*>(x), x_stride, static_cast<T*>(y), y_stride, rows, columns);
  };
  switch (element_size) {
    case 1: return run(uint8_t());
    case 2: return run(uint16_t());
    case 4: return run(uint32_t());
    default: return run(uint64_t());
  }
}

// The innermost axis: `count` elements `stride` apart.
template <class T>
HWY_INLINE void copy_axis(const T* x, int64_t stride, T* y, int64_t count) {
  if (stride == 1) {
    std::memcpy(y, x, static_cast<size_t>(count) * sizeof(T));
  } else if (stride == 0) {
    const T value = *x;
    for (int64_t i = 0; i < count; ++i) y[i] = value;
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = x[i * stride];
  }
}

template <class T>
void permute_part(const Permutation& p, const T* x, T* y, int64_t begin, int64_t end) {
  if (p.rank == 0) {
    *y = *x;
    return;
  }
  const int last = p.rank - 1;
  int64_t dims[Permutation::kMaxRank] = {};
  int64_t y_strides[Permutation::kMaxRank] = {};
  int64_t step = 1;
  for (int a = last; a >= 0; --a) {
    dims[a] = p.dims[a];
    y_strides[a] = step;
    step *= p.dims[a];
  }
  y += begin * y_strides[0];
  x += begin * p.strides[0];
  dims[0] = end - begin;
  int64_t total = 1;
  for (int a = 0; a <= last; ++a) total *= dims[a];
  if (total == 0) return;
  // If another axis is contiguous in x, it and the innermost one are a matrix to transpose.
  int across = -1;
  if (p.strides[last] > 1) {
    for (int a = 0; a < last; ++a) {
      if (p.strides[a] == 1 && dims[a] > 1) across = a;
    }
  }
  int64_t index[Permutation::kMaxRank] = {};
  for (;;) {
    if (across >= 0) {
      transpose_matrix(x, static_cast<size_t>(p.strides[last]), y, static_cast<size_t>(y_strides[across]),
                       static_cast<size_t>(dims[last]), static_cast<size_t>(dims[across]));
    } else {
      copy_axis(x, p.strides[last], y, dims[last]);
    }
    int a = last - 1;
    for (; a >= 0; --a) {
      if (a == across) continue;
      x += p.strides[a];
      y += y_strides[a];
      if (++index[a] < dims[a]) break;
      x -= p.strides[a] * dims[a];
      y -= y_strides[a] * dims[a];
      index[a] = 0;
    }
    if (a < 0) return;
  }
}

void permute(size_t element_size, const Permutation& p, const void* x, void* y, int64_t begin, int64_t end) {
  const auto run = [=, &p](auto type) {
    using T = decltype(type);
    permute_part(p, static_cast<const T*>(x), static_cast<T*>(y), begin, end);
  };
  switch (element_size) {
    case 1: return run(uint8_t());
    case 2: return run(uint16_t());
    case 4: return run(uint32_t());
    default: return run(uint64_t());
  }
}

}  // namespace

const TransposeFunctions transpose = {matrix, permute};

}  // namespace coracle::internal::cpu::CORACLE_ISA
