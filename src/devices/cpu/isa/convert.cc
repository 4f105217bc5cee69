// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/convert.h"

#include <cstring>

#include "base/copy_bytes.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Plain loops, which the compiler vectorises for the types that the instruction set converts.

struct Bool {
  uint8_t value;
};

template <class T>
constexpr bool kIsReal = static_cast<T>(0.5) != T();

template <bool kFirst, class A, class B>
struct Select {
  using Type = A;
};
template <class A, class B>
struct Select<false, A, B> {
  using Type = B;
};

template <class From, class To>
HWY_INLINE To convert_one(From x) {
  if constexpr (__is_same(From, Bool)) {
    return convert_one<uint8_t, To>(x.value);
  } else if constexpr (__is_same(To, Bool)) {
    return {static_cast<uint8_t>(x != From())};
  } else if constexpr (kIsReal<From> && !kIsReal<To>) {
    // By way of int32 unless wider is asked for; what does not fit is the smallest integer, as x86 has it.
    using Wide = typename Select<sizeof(To) == sizeof(int64_t), int64_t, int32_t>::Type;
    constexpr From kEnd = static_cast<From>(uint64_t{1} << (8 * sizeof(Wide) - 1));
    constexpr Wide kSmallest = static_cast<Wide>(uint64_t{1} << (8 * sizeof(Wide) - 1));
    return static_cast<To>(x >= -kEnd && x < kEnd ? static_cast<Wide>(x) : kSmallest);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void convert_numbers(const void* x, void* y, size_t count) {
  const From* from = static_cast<const From*>(x);
  To* to = static_cast<To*>(y);
  for (size_t i = 0; i < count; ++i) to[i] = convert_one<From, To>(from[i]);
}

#if HWY_TARGET == HWY_AVX2
// By way of int32 where eight numbers all fit in it; what does not is the smallest int32.
template <>
void convert_numbers<float, int64_t>(const void* x, void* y, size_t count) {
  const float* from = static_cast<const float*>(x);
  int64_t* to = static_cast<int64_t*>(y);
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i v = _mm256_cvttps_epi32(_mm256_loadu_ps(from + i));
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(v, _mm256_set1_epi32(INT32_MIN))) != 0) {
      for (size_t k = i; k < i + 8; ++k) to[k] = convert_one<float, int64_t>(from[k]);
    } else {
      const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v));
      const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), low);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i + 4), high);
    }
  }
  for (; i < count; ++i) to[i] = convert_one<float, int64_t>(from[i]);
}
#endif

template <class From>
void from_numbers(NumberType to, const void* x, void* y, size_t count) {
  switch (to) {
    case NumberType::kBool: return convert_numbers<From, Bool>(x, y, count);
    case NumberType::kUint8: return convert_numbers<From, uint8_t>(x, y, count);
    case NumberType::kInt8: return convert_numbers<From, int8_t>(x, y, count);
    case NumberType::kInt16: return convert_numbers<From, int16_t>(x, y, count);
    case NumberType::kInt32: return convert_numbers<From, int32_t>(x, y, count);
    case NumberType::kInt64: return convert_numbers<From, int64_t>(x, y, count);
    case NumberType::kFloat32: return convert_numbers<From, float>(x, y, count);
    case NumberType::kFloat64: return convert_numbers<From, double>(x, y, count);
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return;  // by way of float, see below
  }
}

// Arithmetic on the bits, so that it is exact everywhere, NaN and denormals too; branches become selections.
HWY_INLINE uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
HWY_INLINE float float_of(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

HWY_INLINE float float_from_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = half & 0x7fffu;
  const float normal = float_of((magnitude << 13) + (112u << 23));
  const float denormal = static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
  const float special = float_of((magnitude << 13) | 0x7f800000u);
  const float value = magnitude >= 0x7c00u ? special : magnitude < 0x0400u ? denormal : normal;
  return float_of(bits_of(value) | sign);
}

HWY_INLINE uint16_t half_from_float(float value) {
  const uint32_t bits = bits_of(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
  // Below 2^-14: adding 0.5 rounds to a multiple of 2^-24, which then is in the low bits.
  const uint32_t denormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  uint32_t half = magnitude < 0x38800000u ? denormal : normal;
  half = magnitude >= 0x47800000u ? 0x7c00u : half;
  half = magnitude > 0x7f800000u ? 0x7e00u : half;
  return static_cast<uint16_t>(sign | half);
}

HWY_INLINE uint16_t bfloat_from_float(float value) {
  const uint32_t bits = bits_of(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
HWY_INLINE size_t halves_to_floats(const uint16_t* x, float* y, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  }
  return i;
}
HWY_INLINE size_t floats_to_halves(const float* x, uint16_t* y, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 v = _mm256_loadu_ps(x + i);
    const __m256 number = _mm256_cmp_ps(v, v, _CMP_ORD_Q);
    // One quiet NaN for all, as in the plain form.
    const __m256 nan = _mm256_or_ps(_mm256_and_ps(v, _mm256_set1_ps(-0.0f)), _mm256_set1_ps(__builtin_nanf("")));
    const __m128i halves = _mm256_cvtps_ph(_mm256_blendv_ps(nan, v, number), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), halves);
  }
  return i;
}
#elif HWY_TARGET == HWY_NEON
HWY_INLINE size_t halves_to_floats(const uint16_t* x, float* y, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const float16x8_t v = vreinterpretq_f16_u16(vld1q_u16(x + i));
    vst1q_f32(y + i, vcvt_f32_f16(vget_low_f16(v)));
    vst1q_f32(y + i + 4, vcvt_high_f32_f16(v));
  }
  return i;
}
HWY_INLINE size_t floats_to_halves(const float* x, uint16_t* y, size_t count) {
  // One quiet NaN for all, as in the plain form.
  const auto one_nan = [](float32x4_t v) HWY_ATTR {
    const float32x4_t nan = vbslq_f32(vdupq_n_u32(0x80000000u), v, vdupq_n_f32(__builtin_nanf("")));
    return vbslq_f32(vceqq_f32(v, v), v, nan);
  };
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const float16x4_t low = vcvt_f16_f32(one_nan(vld1q_f32(x + i)));
    vst1q_u16(y + i, vreinterpretq_u16_f16(vcvt_high_f16_f32(low, one_nan(vld1q_f32(x + i + 4)))));
  }
  return i;
}
#else
HWY_INLINE size_t halves_to_floats(const uint16_t*, float*, size_t) { return 0; }
HWY_INLINE size_t floats_to_halves(const float*, uint16_t*, size_t) { return 0; }
#endif

void to_float(NumberType from, const void* x, float* y, size_t count) {
  const uint16_t* bits = static_cast<const uint16_t*>(x);
  if (from == NumberType::kFloat16) {
    for (size_t i = halves_to_floats(bits, y, count); i < count; ++i) y[i] = float_from_half(bits[i]);
  } else {
    for (size_t i = 0; i < count; ++i) y[i] = float_of(static_cast<uint32_t>(bits[i]) << 16);
  }
}

void from_float(NumberType to, const float* x, void* y, size_t count) {
  uint16_t* bits = static_cast<uint16_t*>(y);
  if (to == NumberType::kFloat16) {
    for (size_t i = floats_to_halves(x, bits, count); i < count; ++i) bits[i] = half_from_float(x[i]);
  } else {
    for (size_t i = 0; i < count; ++i) bits[i] = bfloat_from_float(x[i]);
  }
}

HWY_INLINE size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::kBool:
    case NumberType::kUint8:
    case NumberType::kInt8: return 1;
    case NumberType::kInt16:
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return 2;
    case NumberType::kInt32:
    case NumberType::kFloat32: return 4;
    case NumberType::kInt64:
    case NumberType::kFloat64: return 8;
  }
  return 0;
}

HWY_INLINE bool is_half(NumberType type) { return type == NumberType::kFloat16 || type == NumberType::kBfloat16; }

void convert_all(NumberType from, NumberType to, const void* x, void* y, size_t count) {
  if (from == to) {
    copy_bytes(y, x, count * size_of(from));
    return;
  }
  if (is_half(from) || is_half(to)) {
    if (is_half(from) && to == NumberType::kFloat32) return to_float(from, x, static_cast<float*>(y), count);
    if (is_half(to) && from == NumberType::kFloat32) return from_float(to, static_cast<const float*>(x), y, count);
    constexpr size_t kBlock = 1024;
    float block[kBlock];
    const uint8_t* source = static_cast<const uint8_t*>(x);
    uint8_t* destination = static_cast<uint8_t*>(y);
    for (size_t begin = 0; begin < count; begin += kBlock) {
      const size_t size = count - begin < kBlock ? count - begin : kBlock;
      convert_all(from, NumberType::kFloat32, source + begin * size_of(from), block, size);
      convert_all(NumberType::kFloat32, to, block, destination + begin * size_of(to), size);
    }
    return;
  }
  switch (from) {
    case NumberType::kBool: return from_numbers<Bool>(to, x, y, count);
    case NumberType::kUint8: return from_numbers<uint8_t>(to, x, y, count);
    case NumberType::kInt8: return from_numbers<int8_t>(to, x, y, count);
    case NumberType::kInt16: return from_numbers<int16_t>(to, x, y, count);
    case NumberType::kInt32: return from_numbers<int32_t>(to, x, y, count);
    case NumberType::kInt64: return from_numbers<int64_t>(to, x, y, count);
    case NumberType::kFloat32: return from_numbers<float>(to, x, y, count);
    case NumberType::kFloat64: return from_numbers<double>(to, x, y, count);
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return;  // handled above
  }
}

}  // namespace

const ConvertFunctions convert = {convert_all};

}  // namespace coracle::internal::cpu::CORACLE_ISA
