// SPDX-License-Identifier: Apache-2.0
//
// A small matrix transposed in registers. Included only by sources that are compiled once per instruction set.
#pragma once

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// A vector whose 128-bit block b comes from row b * kRows of x.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* x, size_t rows_stride) {
  if constexpr (hn::MaxLanes(D()) * sizeof(T) <= 16) {
    (void)rows_stride;
    return hn::LoadU(d, x);
  } else {
    const hn::Half<D> half;
    constexpr size_t kBlocks = hn::MaxLanes(D()) * sizeof(T) / 32;  // in a half
    return hn::Combine(d, load_blocks(half, x + kBlocks * rows_stride, rows_stride), load_blocks(half, x, rows_stride));
  }
}

// A tile of one vector of rows by one 128-bit block of columns. Interleaving vector i with vector i + n / 2, log2(n)
// times, transposes n vectors of n lanes; here this happens in all 128-bit blocks at once.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void transpose_tile(D d, const T* x, size_t x_stride, T* y, size_t y_stride) {
  constexpr size_t kSide = 16 / sizeof(T);
  hn::Vec<D> a[kSide], b[kSide];
  for (size_t i = 0; i < kSide; ++i) a[i] = load_blocks(d, x + i * x_stride, kSide * x_stride);
  for (size_t step = 1; step < kSide; step *= 2) {
    for (size_t i = 0; i < kSide / 2; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + kSide / 2]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + kSide / 2]);
    }
    for (size_t i = 0; i < kSide; ++i) a[i] = b[i];
  }
  for (size_t i = 0; i < kSide; ++i) hn::StoreU(a[i], d, y + i * y_stride);
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
