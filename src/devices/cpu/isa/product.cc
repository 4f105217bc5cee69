// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/product.h"

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

template <class D>
constexpr int64_t kLanesOf = static_cast<int64_t>(HWY_LANES(hn::TFromD<D>));

// Whole vectors, or the first `count` lanes of the only one.
template <bool kWhole, class D>
HWY_INLINE hn::Vec<D> load_some(D d, const hn::TFromD<D>* from, int64_t count) {
  if constexpr (kWhole) return hn::LoadU(d, from);
  return load_partial(d, from, static_cast<size_t>(count));
}

// kRows rows of c in kVectors vectors, of which the only one may be partial.
template <int kRows, int kVectors, bool kWhole, class D, class T>
HWY_INLINE void direct_tile(D d, const DirectProduct<T>& p, int64_t row, int64_t column, int64_t count) {
  hn::Vec<D> sum[kRows][kVectors];
  CORACLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    CORACLE_UNROLL
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  const T* a = p.a + row * p.a_row;
  const T* b = p.b + column;
  for (int64_t k = 0; k < p.depth; ++k, a += p.a_depth, b += p.b_depth) {
    hn::Vec<D> right[kVectors];
    CORACLE_UNROLL
    for (int v = 0; v < kVectors; ++v) right[v] = load_some<kWhole>(d, b + v * kLanesOf<D>, count);
    CORACLE_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const hn::Vec<D> left = hn::Set(d, a[r * p.a_row]);
      CORACLE_UNROLL
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(left, right[v], sum[r][v]);
    }
  }
  T* c = p.c + row * p.c_row + column;
  CORACLE_UNROLL
  for (int r = 0; r < kRows; ++r, c += p.c_row) {
    CORACLE_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kWhole) {
        hn::StoreU(sum[r][v], d, c + v * kLanesOf<D>);
      } else {
        store_partial(d, sum[r][v], c, static_cast<size_t>(count));
      }
    }
  }
}

template <int kVectors, bool kWhole, class D, class T>
HWY_INLINE void direct_strip(D d, const DirectProduct<T>& p, int64_t column, int64_t count) {
  int64_t row = 0;
  for (; row + 4 <= p.rows; row += 4) direct_tile<4, kVectors, kWhole>(d, p, row, column, count);
  switch (p.rows - row) {
    case 3: return direct_tile<3, kVectors, kWhole>(d, p, row, column, count);
    case 2: return direct_tile<2, kVectors, kWhole>(d, p, row, column, count);
    case 1: return direct_tile<1, kVectors, kWhole>(d, p, row, column, count);
    default: return;
  }
}

template <class T>
void direct(const DirectProduct<T>& p, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = kLanesOf<hn::ScalableTag<T>>;
  constexpr int kStrip = HWY_TARGET == HWY_AVX3 ? 4 : 2;  // that the registers hold for four rows
  int64_t column = begin;
  if (p.rows == 1) {
    for (; column + 8 * kLanes <= end; column += 8 * kLanes) direct_tile<1, 8, true>(d, p, 0, column, kLanes);
  }
  for (; column + kStrip * kLanes <= end; column += kStrip * kLanes) direct_strip<kStrip, true>(d, p, column, kLanes);
  for (; column + kLanes <= end; column += kLanes) direct_strip<1, true>(d, p, column, kLanes);
  if (column < end) direct_strip<1, false>(d, p, column, end - column);
}

// Each row in four partial vectors, whichever rows are taken together.
template <int kRows, class D, class T>
HWY_INLINE void dot_rows(D d, const RowDots<T>& p, int64_t row) {
  constexpr int64_t kLanes = kLanesOf<D>;
  constexpr int kParts = 4;
  hn::Vec<D> sum[kRows][kParts];
  CORACLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    CORACLE_UNROLL
    for (int i = 0; i < kParts; ++i) sum[r][i] = hn::Zero(d);
  }
  const T* a = p.a + row * p.a_row;
  int64_t k = 0;
  for (; k + kParts * kLanes <= p.depth; k += kParts * kLanes) {
    CORACLE_UNROLL
    for (int i = 0; i < kParts; ++i) {
      const hn::Vec<D> x = hn::LoadU(d, p.x + k + i * kLanes);
      CORACLE_UNROLL
      for (int r = 0; r < kRows; ++r) {
        sum[r][i] = hn::MulAdd(hn::LoadU(d, a + r * p.a_row + k + i * kLanes), x, sum[r][i]);
      }
    }
  }
  for (; k < p.depth; k += kLanes) {
    const auto rest = static_cast<size_t>(p.depth - k);
    const bool whole = rest >= static_cast<size_t>(kLanes);
    const hn::Vec<D> x = whole ? hn::LoadU(d, p.x + k) : load_partial(d, p.x + k, rest);
    CORACLE_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const T* from = a + r * p.a_row + k;
      sum[r][0] = hn::MulAdd(whole ? hn::LoadU(d, from) : load_partial(d, from, rest), x, sum[r][0]);
    }
  }
  CORACLE_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const hn::Vec<D> all = hn::Add(hn::Add(sum[r][0], sum[r][1]), hn::Add(sum[r][2], sum[r][3]));
    p.y[(row + r) * p.y_step] = hn::GetLane(hn::SumOfLanes(d, all));
  }
}

template <class T>
void dots(const RowDots<T>& p, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  for (; begin + 2 <= end; begin += 2) dot_rows<2>(d, p, begin);
  if (begin < end) dot_rows<1>(d, p, begin);
}

}  // namespace

extern const ProductFunctions product;
const ProductFunctions product = {direct<float>, direct<double>, dots<float>, dots<double>};

}  // namespace coracle::internal::cpu::CORACLE_ISA
