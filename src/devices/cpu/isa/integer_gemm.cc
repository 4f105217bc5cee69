// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/integer_gemm.h"

#if defined(__SSE2__) && !defined(__AVX2__)  // Highway includes the others
#include <emmintrin.h>
#endif

#include <cstring>
#include <utility>

#include "integer_finish.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

constexpr auto kLanes = static_cast<int64_t>(kFloatLanes);

// Four numbers plus 128 by four of B, or two of 16 bits by two of B, added to sums of 32 bits.
#if defined(__AVX512VNNI__)
using Packed = uint8_t;
using Sums = __m512i;
constexpr int kTileRows = 12;
HWY_INLINE Sums load_sums(const void* p) { return _mm512_loadu_si512(p); }
HWY_INLINE Sums broadcast(const void* group) {
  int32_t bits;
  memcpy(&bits, group, sizeof(bits));
  return _mm512_set1_epi32(bits);
}
// As an instruction: from the intrinsic, GCC 12 moves all sums of a loop to other registers and back.
HWY_INLINE void multiply_add(Sums& sum, Sums a, Sums b) { asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b)); }
HWY_INLINE void store_floats(Sums sum, float* to) { _mm512_storeu_ps(to, _mm512_cvtepi32_ps(sum)); }
#elif HWY_TARGET == HWY_AVX3
using Packed = int16_t;
using Sums = __m512i;
constexpr int kTileRows = 12;
HWY_INLINE Sums load_sums(const void* p) { return _mm512_loadu_si512(p); }
HWY_INLINE Sums broadcast(const void* group) {
  int32_t bits;
  memcpy(&bits, group, sizeof(bits));
  return _mm512_set1_epi32(bits);
}
HWY_INLINE void multiply_add(Sums& sum, Sums a, Sums b) { sum = _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)); }
HWY_INLINE void store_floats(Sums sum, float* to) { _mm512_storeu_ps(to, _mm512_cvtepi32_ps(sum)); }
#elif HWY_TARGET == HWY_AVX2
using Packed = int16_t;
using Sums = __m256i;
constexpr int kTileRows = 6;
HWY_INLINE Sums load_sums(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
HWY_INLINE Sums broadcast(const void* group) {
  int32_t bits;
  memcpy(&bits, group, sizeof(bits));
  return _mm256_set1_epi32(bits);
}
HWY_INLINE void multiply_add(Sums& sum, Sums a, Sums b) { sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)); }
HWY_INLINE void store_floats(Sums sum, float* to) { _mm256_storeu_ps(to, _mm256_cvtepi32_ps(sum)); }
#elif defined(__SSE2__)
using Packed = int16_t;
using Sums = __m128i;
constexpr int kTileRows = 4;
HWY_INLINE Sums load_sums(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
HWY_INLINE Sums broadcast(const void* group) {
  int32_t bits;
  memcpy(&bits, group, sizeof(bits));
  return _mm_set1_epi32(bits);
}
HWY_INLINE void multiply_add(Sums& sum, Sums a, Sums b) { sum = _mm_add_epi32(sum, _mm_madd_epi16(a, b)); }
HWY_INLINE void store_floats(Sums sum, float* to) { _mm_storeu_ps(to, _mm_cvtepi32_ps(sum)); }
#else
using Packed = int16_t;
struct Sums {
  int32_t of[kFloatLanes];
};
constexpr int kTileRows = 4;
HWY_INLINE Sums load_sums(const void* p) {
  Sums s;
  memcpy(&s, p, sizeof(s));
  return s;
}
HWY_INLINE Sums broadcast(const void* group) {
  int32_t bits;
  memcpy(&bits, group, sizeof(bits));
  Sums s;
  for (int32_t& lane : s.of) lane = bits;
  return s;
}
HWY_INLINE void multiply_add(Sums& sum, const Sums& a, const Sums& b) {
  int16_t x[2 * kFloatLanes];
  int16_t y[2 * kFloatLanes];
  memcpy(x, &a, sizeof(x));
  memcpy(y, &b, sizeof(y));
  for (size_t i = 0; i < kFloatLanes; ++i) sum.of[i] += x[2 * i] * y[2 * i] + x[2 * i + 1] * y[2 * i + 1];
}
HWY_INLINE void store_floats(const Sums& sum, float* to) {
  for (size_t i = 0; i < kFloatLanes; ++i) to[i] = static_cast<float>(sum.of[i]);
}
#endif

constexpr int64_t kPerGroup = 4 / static_cast<int64_t>(sizeof(Packed));
constexpr Packed kZero = sizeof(Packed) == 1 ? 128 : 0;

// Most rows of filters and many images have few channels: eight numbers at a time, then one.
HWY_INLINE void copy(const int8_t* HWY_RESTRICT from, int64_t count, Packed* HWY_RESTRICT to) {
  int64_t i = 0;
#if defined(__AVX512VNNI__)
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(0x80));
  for (; i + 32 <= count; i += 32) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_xor_si256(v, flip));
  }
  for (; i + 8 <= count; i += 8) {
    uint64_t bits;
    memcpy(&bits, from + i, sizeof(bits));
    bits ^= 0x8080808080808080;
    memcpy(to + i, &bits, sizeof(bits));
  }
#else
  const hn::CappedTag<int16_t, 8> d;
  const hn::Rebind<int8_t, decltype(d)> bytes;
  for (; i + 8 <= count; i += 8) hn::StoreU(hn::PromoteTo(d, hn::LoadU(bytes, from + i)), d, to + i);
#endif
  for (; i < count; ++i) to[i] = static_cast<Packed>(from[i] + kZero);
}

HWY_INLINE void fill(int64_t count, Packed* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = kZero;
}

// What row `row` of A is made of.
void copy_pixels(const IntegerGemmCall& call, int64_t row, Packed* to) {
  const GemmImage& m = *call.image;
  const int64_t ox = row % m.out_w;
  const int64_t oy = row / m.out_w % m.out_h;
  const int8_t* image = call.a + row / (m.out_w * m.out_h) * m.in_h * m.in_w * m.in_channels;
  for (int64_t t = 0; t < call.taps; ++t, to += call.depth) {
    const int64_t y = oy * m.stride_y + m.tap_y[t];
    const int64_t x = ox * m.stride_x + m.tap_x[t];
    const int64_t begin = x < 0 ? (-x < m.join ? -x : m.join) : 0;
    int64_t end = m.in_w - x < m.join ? m.in_w - x : m.join;
    if (y < 0 || y >= m.in_h || end < begin) end = begin;
    const int64_t n = m.in_channels;
    if (begin > 0) fill(begin * n, to);
    if (end > begin) copy(image + (y * m.in_w + x + begin) * n, (end - begin) * n, to + begin * n);
    if (end < m.join) fill((m.join - end) * n, to + end * n);
  }
}

// One row's sums of one or two vectors.
struct RowSums {
  Sums first;
  Sums second;

  template <int kVectors>
  HWY_INLINE void multiply_add(const Packed* a, const Sums& first_column, const Sums& second_column) {
    const Sums x = broadcast(a);
    coracle::cpu::CORACLE_ISA::multiply_add(first, x, first_column);
    if constexpr (kVectors == 2) coracle::cpu::CORACLE_ISA::multiply_add(second, x, second_column);
  }
  template <int kVectors>
  HWY_INLINE void store(float* to) const {
    store_floats(first, to);
    if constexpr (kVectors == 2) store_floats(second, to + kFloatLanes);
  }
};

// Sums of rows of groups, `stride` numbers apart, with one panel. The rows are unrolled by their numbers, as sums in an
// array that a loop goes through would stay in memory.
template <int kVectors, size_t... kRow>
HWY_INLINE void multiply(const Packed* HWY_RESTRICT a, int64_t stride, int64_t groups, const char* HWY_RESTRICT panel,
                         float* HWY_RESTRICT tile, std::index_sequence<kRow...> /*rows*/) {
  constexpr size_t kBytes = sizeof(Sums);
  constexpr size_t kSecond = (kVectors - 1) * kBytes;
  RowSums sums[sizeof...(kRow)];
  const RowSums initial = {load_sums(panel), load_sums(panel + kSecond)};
  ((sums[kRow] = initial), ...);
  const char* b = panel + kVectors * kBytes;
  for (int64_t g = 0; g < groups; ++g, b += kVectors * kBytes, a += kPerGroup) {
    const Sums first = load_sums(b);
    const Sums second = load_sums(b + kSecond);
    (sums[kRow].template multiply_add<kVectors>(a + static_cast<int64_t>(kRow) * stride, first, second), ...);
  }
  (sums[kRow].template store<kVectors>(tile + kRow * kVectors * kFloatLanes), ...);
}

template <int kVectors, int kRows>
void multiply_rows_of(const Packed* a, int64_t stride, int64_t groups, const char* panel, float* tile) {
  multiply<kVectors>(a, stride, groups, panel, tile, std::make_index_sequence<kRows>());
}

template <int kVectors>
void multiply_rows(int64_t rows, const Packed* a, int64_t stride, int64_t groups, const char* panel, float* tile) {
  if (rows == 1) return multiply_rows_of<kVectors, 1>(a, stride, groups, panel, tile);
  if (rows <= kTileRows / 2) return multiply_rows_of<kVectors, kTileRows / 2>(a, stride, groups, panel, tile);
  multiply_rows_of<kVectors, kTileRows>(a, stride, groups, panel, tile);
}

void run(const IntegerGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  const Finisher finisher(call.result);
  const int64_t depth = call.taps * call.depth;
  const int64_t groups = (depth + kPerGroup - 1) / kPerGroup;
  const int64_t stride = groups * kPerGroup;
  auto* const a = static_cast<Packed*>(call.scratch);
  // A last tile computes with rows that it does not have.
  fill(kTileRows * stride, a);
  HWY_ALIGN float tile[kTileRows * 2 * kFloatLanes];
  const int64_t panel_bytes = 2 * kLanes * 4 * (1 + groups);
  for (int64_t row = row_begin; row < row_end; row += kTileRows) {
    const int64_t rows = row_end - row < kTileRows ? row_end - row : kTileRows;
    for (int64_t r = 0; r < rows; ++r) {
      if (call.image == nullptr) {
        copy(call.a + (row + r) * call.a_stride, depth, a + r * stride);
      } else {
        copy_pixels(call, row + r, a + r * stride);
      }
    }
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      const int64_t first = p * 2 * kLanes;
      const int64_t columns = call.columns - first < 2 * kLanes ? call.columns - first : 2 * kLanes;
      const char* panel = static_cast<const char*>(call.packed) + p * panel_bytes;
      const int64_t vectors = columns > kLanes ? 2 : 1;
      if (vectors == 2) {
        multiply_rows<2>(rows, a, stride, groups, panel, tile);
      } else {
        multiply_rows<1>(rows, a, stride, groups, panel, tile);
      }
      finisher.finish(tile, static_cast<size_t>(vectors) * kFloatLanes, static_cast<size_t>(rows),
                      static_cast<size_t>(columns), row, first);
    }
  }
}

}  // namespace

const IntegerGemmFunctions integer_gemm = {
    .lanes = kLanes, .element_bytes = sizeof(Packed), .tile_rows = kTileRows, .run = run};

}  // namespace coracle::cpu::CORACLE_ISA
