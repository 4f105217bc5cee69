// SPDX-License-Identifier: Apache-2.0
//
// Where the numbers of a tile of A reach too far for fast products of bytes (AVX2, quantized_gemm.h), but few of them
// do: they are clipped to a window, and what is cut off is multiplied apart. Included only by quantized_gemm.cc.
#pragma once

#include "quantized_dots.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// `numbers` of functions below may be read, and those written up to 31 numbers beyond `count`.

HWY_INLINE __m256i load_numbers(const int8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

// `count` is a multiple of 4; what is behind is zero.
HWY_INLINE Extent extent_of(const int8_t* numbers, int64_t count) {
  __m256i least = _mm256_setzero_si256();
  __m256i most = _mm256_setzero_si256();
  for (int64_t i = 0; i < count; i += 32) {
    const __m256i v = load_numbers(numbers + i);
    least = _mm256_min_epi8(least, v);
    most = _mm256_max_epi8(most, v);
  }
  // ~x falls where x rises: both are minima, of eight bytes each at last.
  const __m256i flipped = _mm256_xor_si256(most, _mm256_set1_epi8(-1));
  const __m128i low = _mm_min_epi8(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
  const __m128i high = _mm_min_epi8(_mm256_castsi256_si128(flipped), _mm256_extracti128_si256(flipped, 1));
  __m128i both = _mm_min_epi8(_mm_unpacklo_epi64(low, high), _mm_unpackhi_epi64(low, high));
  both = _mm_min_epi8(both, _mm_srli_epi64(both, 32));
  both = _mm_min_epi8(both, _mm_srli_epi64(both, 16));
  both = _mm_min_epi8(both, _mm_srli_epi64(both, 8));
  return {static_cast<int8_t>(_mm_extract_epi8(both, 0)), ~static_cast<int8_t>(_mm_extract_epi8(both, 8))};
}

HWY_INLINE void add_to_all(int8_t* numbers, int64_t count, int32_t added) {
  const __m256i by = _mm256_set1_epi8(static_cast<char>(added));
  for (int64_t i = 0; i < count; i += 32) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(numbers + i), _mm256_add_epi8(load_numbers(numbers + i), by));
  }
}

struct Window {
  __m256i least, most;

  explicit HWY_INLINE Window(Extent e)
      : least(_mm256_set1_epi8(static_cast<char>(e.least))), most(_mm256_set1_epi8(static_cast<char>(e.most))) {}
  HWY_INLINE __m256i clipped(__m256i v) const { return _mm256_max_epi8(least, _mm256_min_epi8(most, v)); }
  // A bit for each number outside.
  HWY_INLINE uint32_t outside(__m256i v) const {
    return ~static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(clipped(v), v)));
  }
};

// Sums start at -128 times those of a column: what was added to A, that many times, has to be taken off.
HWY_INLINE Sums times_added(Sums start, int32_t added) {
  return _mm256_mullo_epi32(_mm256_srai_epi32(start, 7), broadcast_bits(added));
}

// The window of so many steps that leaves the fewest numbers outside, of three: from the least on, up to the most,
// around 0.
struct BestWindow {
  Extent window;
  int64_t outside;
};
HWY_INLINE BestWindow best_window(const int8_t* numbers, int64_t count, Extent all, int32_t reach) {
  const Extent windows[] = {
      {all.least, all.least + reach}, {all.most - reach, all.most}, {-reach / 2, reach - reach / 2}};
  const Window low(windows[0]);
  const Window high(windows[1]);
  const Window middle(windows[2]);
  int64_t outside[3] = {};
  for (int64_t i = 0; i < count; i += 32) {
    const __m256i v = load_numbers(numbers + i);
    outside[0] += __builtin_popcount(low.outside(v));
    outside[1] += __builtin_popcount(high.outside(v));
    outside[2] += __builtin_popcount(middle.outside(v));
  }
  const int64_t best = outside[0] < outside[1] ? 0 : 1;
  return outside[2] < outside[best] ? BestWindow{windows[2], outside[2]} : BestWindow{windows[best], outside[best]};
}

// What was cut off of two numbers of a row.
struct OutlierPair {
  int32_t group[2];  // a vector of columns each, in bytes
  int32_t place[2];  // in the group, in bytes of kPlaces
  int32_t excess;    // 16 bits of each
};

// For each place in a group: the shuffle that gives its byte, times 256, as the lower number of 16 bits; then the same
// for the upper one.
struct Places {
  alignas(32) uint8_t bytes[8][32] = {};

  constexpr Places() {
    for (uint8_t place = 0; place < 8; ++place) {
      for (uint8_t i = 0; i < 32; ++i) {
        const bool taken = i % 4 == (place < 4 ? 1 : 3);
        bytes[place][i] = static_cast<uint8_t>(taken ? i % 16 / 4 * 4 + place % 4 : 0x80);
      }
    }
  }
};
constexpr Places kPlaces;

// Windows reach over 129 numbers at least, so that at most 126 are cut off: the sum of so many products with 127 * 256
// is less than 2^31.
constexpr int64_t kMostOutliers = 480;

// What was cut off of the rows of a tile, row by row.
template <int64_t kRows>
struct Outliers {
  OutlierPair all[kMostOutliers / 2 + kRows];
  int32_t begin[kRows + 1];

  // Numbers of rows of `stride` each become what they are above the window's least. At most kMostOutliers are outside.
  HWY_INLINE void clip(int8_t* numbers, int64_t stride, int64_t rows, Extent extent) {
    const Window window(extent);
    const int64_t count = rows * stride;
    int64_t row = 0;
    int64_t row_end = stride;
    int32_t n = 0;  // twice as many places
    begin[0] = 0;
    const auto end_row = [&] {
      if (n % 2 != 0) add_outlier(n++, 0, 0);
      begin[++row] = n / 2;
    };
    for (int64_t i = 0; i < count; i += 32) {
      const __m256i v = load_numbers(numbers + i);
      for (uint32_t bits = window.outside(v); bits != 0; bits &= bits - 1) {
        const int64_t at = i + __builtin_ctz(bits);
        if (at >= count) break;
        for (; at >= row_end; row_end += stride) end_row();
        const int32_t x = numbers[at];
        add_outlier(n++, at - (row_end - stride), x < extent.least ? x - extent.least : x - extent.most);
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(numbers + i), _mm256_sub_epi8(window.clipped(v), window.least));
    }
    while (row < kRows) end_row();
  }

  // Where the sums of rows with a panel of one or two vectors start, with so much added to A: a line for each row.
  void start(int64_t vectors, const char* panel, int32_t added, char* to) const {
    if (vectors == 2) {
      start_rows<2>(panel, added, to);
    } else {
      start_rows<1>(panel, added, to);
    }
  }

 private:
  HWY_INLINE void add_outlier(int32_t n, int64_t k, int32_t excess) {
    OutlierPair& two = all[n / 2];
    const int32_t half = n % 2;
    two.group[half] = static_cast<int32_t>(k / 4 * static_cast<int64_t>(sizeof(Sums)));
    two.place[half] = static_cast<int32_t>(k % 4 + 4 * half) * 32;
    const auto bits = static_cast<uint32_t>(excess) & 0xFFFF;
    two.excess = static_cast<int32_t>(half == 0 ? bits : (static_cast<uint32_t>(two.excess) & 0xFFFF) | bits << 16);
  }

  template <int kVectors>
  HWY_INLINE void start_rows(const char* panel, int32_t added, char* to) const {
    constexpr auto kVector = static_cast<int64_t>(sizeof(Sums));
    constexpr int64_t kStep = kVectors * kVector;
    const Sums first = times_added(load_sums(panel), added);
    const Sums second = times_added(load_sums(panel + kStep - kVector), added);
    const char* const groups = panel + kStep;
    const char* const places = reinterpret_cast<const char*>(kPlaces.bytes);
    for (int64_t r = 0; r < kRows; ++r, to += kStep) {
      Sums sum = broadcast_bits(0);
      Sums sum_second = sum;
      for (int32_t i = begin[r]; i < begin[r + 1]; ++i) {
        const OutlierPair& two = all[i];
        const Sums low = load_sums(places + two.place[0]);
        const Sums high = load_sums(places + two.place[1]);
        const Sums excess = broadcast_bits(two.excess);
        const char* const a = groups + int64_t{two.group[0]} * kVectors;
        const char* const b = groups + int64_t{two.group[1]} * kVectors;
        const auto products = [&](int64_t at) HWY_ATTR {
          const Sums numbers = _mm256_or_si256(_mm256_shuffle_epi8(load_sums(a + at), low),
                                               _mm256_shuffle_epi8(load_sums(b + at), high));
          return multiply_pairs(numbers, excess);
        };
        sum = add(sum, products(0));
        if constexpr (kVectors == 2) sum_second = add(sum_second, products(kVector));
      }
      store_sums(add(first, _mm256_srai_epi32(sum, 8)), to);
      if constexpr (kVectors == 2) store_sums(add(second, _mm256_srai_epi32(sum_second, 8)), to + kVector);
    }
  }
};

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
