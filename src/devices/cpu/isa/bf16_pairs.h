// SPDX-License-Identifier: Apache-2.0
//
// Sums of products of bfloat16 numbers of two rows by two columns (NEON's BFMMLA: Arm Architecture Reference Manual,
// FEAT_BF16). Included only by sources that are compiled for it.
#pragma once

#include <cstdint>
#include <utility>

#include "vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Two rows of sums of eight columns: of each two columns those of the first row, then those of the second.
struct RowPairSums {
  float32x4_t of[4];

  HWY_INLINE void load(const float* first, const float* second) {
    for (int h = 0; h < 2; ++h) {
      const auto a = vreinterpretq_f64_f32(vld1q_f32(first + h * 4));
      const auto b = vreinterpretq_f64_f32(vld1q_f32(second + h * 4));
      of[2 * h] = vreinterpretq_f32_f64(vzip1q_f64(a, b));
      of[2 * h + 1] = vreinterpretq_f32_f64(vzip2q_f64(a, b));
    }
  }
  HWY_INLINE void store(float* first, float* second) const {
    for (int h = 0; h < 2; ++h) {
      const auto left = vreinterpretq_f64_f32(of[2 * h]);
      const auto right = vreinterpretq_f64_f32(of[2 * h + 1]);
      vst1q_f32(first + h * 4, vreinterpretq_f32_f64(vzip1q_f64(left, right)));
      vst1q_f32(second + h * 4, vreinterpretq_f32_f64(vzip2q_f64(left, right)));
    }
  }
  template <size_t... kPair>
  HWY_INLINE void add(bfloat16x8_t rows, const bfloat16x8_t (&columns)[4], std::index_sequence<kPair...> /*pairs*/) {
    ((of[kPair] = vbfmmlaq_f32(of[kPair], rows, columns[kPair])), ...);
  }
};

// Eight rows by eight columns; see below. `b` is at the first of the columns.
template <size_t... kRows>
HWY_INLINE void multiply_row_pairs(const uint16_t* a, const uint16_t* b, int64_t steps, int64_t stride,
                                   const float* start, float* sums, std::index_sequence<kRows...> /*pairs of rows*/) {
  constexpr int kSide = 16;
  constexpr int kNumbers = 32;  // of a step
  const auto words = [](const uint16_t* p) HWY_ATTR { return vreinterpretq_u32_u16(vld1q_u16(p)); };
  const auto numbers = [](uint32x4_t v) HWY_ATTR { return vreinterpretq_bf16_u32(v); };
  RowPairSums sum[sizeof...(kRows)];
  (sum[kRows].load(start + 2 * kRows * 2 * kSide, start + (2 * kRows + 1) * 2 * kSide), ...);
  for (int64_t s = 0; s < steps; ++s, a += stride, b += stride) {
    const uint16_t* left = a;
    const uint16_t* right = b;
    for (int k = 0; k < kNumbers; k += 4, left += 4 * 8, right += 2 * kNumbers) {
      const uint32x4_t even[] = {words(right), words(right + 8)};
      const uint32x4_t odd[] = {words(right + kNumbers), words(right + kNumbers + 8)};
      const bfloat16x8_t columns[] = {numbers(vzip1q_u32(even[0], odd[0])), numbers(vzip2q_u32(even[0], odd[0])),
                                      numbers(vzip1q_u32(even[1], odd[1])), numbers(vzip2q_u32(even[1], odd[1]))};
      const bfloat16x8_t rows[] = {numbers(words(left + kRows * 8))...};
      (sum[kRows].add(rows[kRows], columns, std::make_index_sequence<4>()), ...);
    }
  }
  (sum[kRows].store(sums + 2 * kRows * 2 * kSide, sums + (2 * kRows + 1) * 2 * kSide), ...);
}

// 8 rows by 16 * kHalves columns: sums = start + a * b over `steps` steps of 32 numbers. Both sums have rows of 32
// floats. A step of a has four numbers of each row, then the next four; steps are `stride` numbers apart. b has for
// each step and half [16 pairs of numbers][16 columns][2]. Denormal numbers count as zero.
template <int kHalves>
HWY_INLINE void multiply_by_dots(const uint16_t* a, const uint16_t* b, int64_t steps, int64_t stride,
                                 const float* start, float* sums) {
  constexpr int kSide = 16;
  constexpr int kHalfNumbers = kSide * 32;
  for (int column = 0; column < kHalves * kSide; column += 8) {
    multiply_row_pairs(a, b + column / kSide * kHalfNumbers + column % kSide * 2, steps, stride, start + column,
                       sums + column, std::make_index_sequence<4>());
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
