// SPDX-License-Identifier: Apache-2.0
//
// Where finished sums go (quantized_finish.h): as they are, or rounded to int8. Included only by quantized_finish.cc.
#pragma once

#include <cstring>

#include "quantized.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

struct OutputForm {
  float scale = 0;  // as QuantizedResult has it
  float inverse = 0;
  float most_integer = -1;
};

// kNumber: no vector has NaN. `width`: numbers that are stored.
struct FloatOutput {
  using T = float;
  static constexpr bool kTakesNaN = true;
  explicit HWY_INLINE FloatOutput(const OutputForm& /*form*/) {}
  template <bool kNumber>
  HWY_INLINE void store(FloatVector v, float* to, size_t width) const {
    const FloatTag d;
    if (width == kFloatLanes) {
      hn::StoreU(v, d, to);
    } else {
      store_partial(d, v, to, width);
    }
  }
  template <bool kNumber>
  HWY_INLINE void store_two(FloatVector first, FloatVector second, float* to, float* to_second) const {
    hn::StoreU(first, FloatTag(), to);
    hn::StoreU(second, FloatTag(), to_second);
  }
  template <bool kNumber>
  HWY_INLINE void store_adjacent(FloatVector first, FloatVector second, float* to) const {
    store_two<kNumber>(first, second, to, to + kFloatLanes);
  }
  template <bool kNumber>
  HWY_INLINE void store_four(FloatVector first, FloatVector second, FloatVector third, FloatVector fourth,
                             float* to) const {
    store_adjacent<kNumber>(first, second, to);
    store_adjacent<kNumber>(third, fourth, to + 2 * kFloatLanes);
  }
  // Two of each of two rows, `stride` apart: where the next row lies.
  template <bool kNumber>
  HWY_INLINE float* store_two_rows(FloatVector first, FloatVector second, FloatVector third, FloatVector fourth,
                                   float* to, int64_t stride) const {
    store_adjacent<kNumber>(first, second, to);
    store_adjacent<kNumber>(third, fourth, to + stride);
    return to + 2 * stride;
  }
};
// kFromZero: then clipped to [0, most_integer], where NaN becomes 0. As rounding is monotone, that is what rounding
// makes of clipped numbers.
template <bool kHalfAway, bool kFromZero = false>
struct IntegerOutput {
  using T = int8_t;
  // NaN becomes 0 by itself, or, with kFromZero, the least integer.
  static constexpr bool kTakesNaN =
      (CORACLE_NARROWING_CLIPS && !kHalfAway) || (kFromZero && (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3));
  Int8Rounding<kHalfAway> rounding;
#if CORACLE_NARROWING_CLIPS
  int8x8_t most;
  explicit HWY_INLINE IntegerOutput(const OutputForm& f)
      : rounding(f.scale, f.inverse), most(vdup_n_s8(static_cast<int8_t>(f.most_integer))) {}
  HWY_INLINE int8x8_t narrowed(int16x8_t words) const {
    if constexpr (!kFromZero) return vqmovn_s16(words);
    return vreinterpret_s8_u8(vmin_u8(vqmovun_s16(words), vreinterpret_u8_s8(most)));
  }
#else
  explicit HWY_INLINE IntegerOutput(const OutputForm& f) : rounding(f.scale, f.inverse) {
    if constexpr (kFromZero) rounding.set_most(f.most_integer);
  }
#endif
  template <bool kNumber>
  HWY_INLINE void store(FloatVector v, int8_t* to, size_t width) const {
    constexpr bool kUnchecked = kNumber || kTakesNaN;
    auto integers = rounding.template rounded<kUnchecked>(v);
    if constexpr (kFromZero) integers = hn::Max(integers, hn::Zero(Int8Tag()));
#if CORACLE_NARROWING_CLIPS
    if constexpr (kFromZero) integers = hn::Min(integers, hn::Vec<Int8Tag>(most));
#endif
    if (width == kFloatLanes) {
      hn::StoreU(integers, Int8Tag(), to);
    } else {
      store_int8_part(integers, to, width);
    }
  }
  template <bool kNumber>
  HWY_INLINE void store_two(FloatVector first, FloatVector second, int8_t* to, int8_t* to_second) const {
#if HWY_TARGET == HWY_AVX2
    constexpr bool kUnchecked = kNumber || kTakesNaN;
    const __m256i both = _mm256_packs_epi32(rounding.template integers<kUnchecked>(first).raw,
                                            rounding.template integers<kUnchecked>(second).raw);
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    if constexpr (kFromZero) bytes = _mm_max_epi8(bytes, _mm_setzero_si128());
    const __m128i ordered = _mm_shuffle_epi32(bytes, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), ordered);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to_second), _mm_unpackhi_epi64(ordered, ordered));
#elif HWY_TARGET == HWY_AVX3
    constexpr bool kUnchecked = kNumber || kTakesNaN;
    const __m512i words = _mm512_packs_epi32(rounding.template integers<kUnchecked>(first).raw,
                                             rounding.template integers<kUnchecked>(second).raw);
    const __m512i bytes = _mm512_packs_epi16(words, words);
    // Four bytes of the first, then four of the second, twice in each part of 128 bits.
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 0, 0, 0, 0, 0, 0, 0);
    __m256i ordered = _mm512_castsi512_si256(_mm512_permutexvar_epi32(order, bytes));
    if constexpr (kFromZero) ordered = _mm256_max_epi8(ordered, _mm256_setzero_si256());
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(ordered));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to_second), _mm256_extracti128_si256(ordered, 1));
#elif CORACLE_NARROWING_CLIPS
    constexpr bool kUnchecked = kNumber || kTakesNaN;
    const int32x2_t both = vreinterpret_s32_s8(narrowed(rounding.template words<kUnchecked>(first, second)));
    const int32_t halves[] = {vget_lane_s32(both, 0), vget_lane_s32(both, 1)};
    memcpy(to, halves, sizeof(int32_t));
    memcpy(to_second, halves + 1, sizeof(int32_t));
#else
    store<kNumber>(first, to, kFloatLanes);
    store<kNumber>(second, to_second, kFloatLanes);
#endif
  }
#if CORACLE_NARROWING_CLIPS
  // Of one row.
  template <bool kNumber>
  HWY_INLINE void store_adjacent(FloatVector first, FloatVector second, int8_t* to) const {
    constexpr bool kUnchecked = kNumber || kTakesNaN;
    vst1_s8(to, narrowed(rounding.template words<kUnchecked>(first, second)));
  }
  template <bool kNumber>
  HWY_INLINE void store_four(FloatVector first, FloatVector second, FloatVector third, FloatVector fourth,
                             int8_t* to) const {
    vst1q_s8(to, of_four<kNumber>(first, second, third, fourth));
  }
  template <bool kNumber>
  HWY_INLINE int8_t* store_two_rows(FloatVector first, FloatVector second, FloatVector third, FloatVector fourth,
                                    int8_t* to, int64_t stride) const {
    const int8x16_t all = of_four<kNumber>(first, second, third, fourth);
    // Compilers count up the address of a lane by an instruction of its own.
    asm("st1 {%1.d}[0], [%0], %2" : "+r"(to) : "w"(all), "r"(stride) : "memory");
    asm("st1 {%1.d}[1], [%0], %2" : "+r"(to) : "w"(all), "r"(stride) : "memory");
    return to;
  }

 private:
  template <bool kNumber>
  HWY_INLINE int8x16_t of_four(FloatVector first, FloatVector second, FloatVector third, FloatVector fourth) const {
    constexpr bool kUnchecked = kNumber || kTakesNaN;
    const int16x8_t words = rounding.template words<kUnchecked>(first, second);
    const int16x8_t next = rounding.template words<kUnchecked>(third, fourth);
    if constexpr (!kFromZero) return vqmovn_high_s16(vqmovn_s16(words), next);
    const uint8x16_t most_bytes = vreinterpretq_u8_s8(vcombine_s8(most, most));
    return vreinterpretq_s8_u8(vminq_u8(vqmovun_high_s16(vqmovun_s16(words), next), most_bytes));
  }
#endif
};

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
