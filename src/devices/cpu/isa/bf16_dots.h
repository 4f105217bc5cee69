// SPDX-License-Identifier: Apache-2.0
//
// Sums of products of pairs of bfloat16 numbers in vectors (AVX512-BF16: Intel Cooper Lake, AMD Zen 4 and later; the
// instruction set reference, VDPBF16PS). Included only by sources that are compiled for AVX-512; to be called where
// the processor has Capability::kAvx512Bf16.
#pragma once

#include <cstdint>

#include "vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// 8 rows by 16 * kHalves columns: sums = start + a * b over `steps` steps of 32 numbers. Both sums have rows of 32
// floats, a step of a row's numbers is 64 bytes, rows lie one behind the other, and so do the steps of all rows,
// `stride` numbers apart. b has for each step and half [16 pairs of numbers][16 columns][2]. Denormal numbers count as
// zero.
template <int kHalves>
HWY_INLINE void multiply_by_dots(const uint16_t* a, const uint16_t* b, int64_t steps, int64_t stride,
                                 const float* start, float* sums) {
  constexpr int kRows = 8;
  constexpr int kSide = 16;
  constexpr int kNumbers = 32;
  __m512 sum[kRows][kHalves];
  for (int r = 0; r < kRows; ++r) {
    for (int h = 0; h < kHalves; ++h) sum[r][h] = _mm512_loadu_ps(start + r * 2 * kSide + h * kSide);
  }
  for (int64_t s = 0; s < steps; ++s, a += stride, b += stride) {
    for (int pair = 0; pair < kSide; ++pair) {
      __m512 right[kHalves];
      for (int h = 0; h < kHalves; ++h) right[h] = _mm512_loadu_ps(b + (h * kSide + pair) * kNumbers);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const auto* left = reinterpret_cast<const uint32_t*>(a + r * kNumbers + pair * 2);
        for (int h = 0; h < kHalves; ++h) {
          asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(sum[r][h]) : "v"(right[h]), "m"(*left));
        }
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int h = 0; h < kHalves; ++h) _mm512_storeu_ps(sums + r * 2 * kSide + h * kSide, sum[r][h]);
  }
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
