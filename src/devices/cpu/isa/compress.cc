// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/compress.h"

#include <cstring>

#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr size_t kWord = 64;

// Bit i of the result is byte i, of eight bytes of 0 and 1.
HWY_INLINE uint64_t bits_of(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return (word * 0x0102040810204080u) >> 56;
}

template <class T>
int64_t mask_of(const void* x, size_t n, uint64_t* mask) {
  const T* from = static_cast<const T*>(x);
  int64_t count = 0;
  for (size_t begin = 0; begin < n; begin += kWord) {
    uint8_t bytes[kWord] = {};
    if (n - begin >= kWord) {
      for (size_t i = 0; i < kWord; ++i) bytes[i] = static_cast<uint8_t>(from[begin + i] != T());
    } else {
      for (size_t i = 0; begin + i < n; ++i) bytes[i] = static_cast<uint8_t>(from[begin + i] != T());
    }
    uint64_t word = 0;
    for (size_t i = 0; i < kWord; i += 8) word |= bits_of(bytes + i) << i;
    mask[begin / kWord] = word;
    count += __builtin_popcountll(word);
  }
  return count;
}

int64_t mask(NumberType type, const void* x, size_t n, uint64_t* to) {
  switch (type) {
    case NumberType::kBool:
    case NumberType::kUint8:
    case NumberType::kInt8: return mask_of<uint8_t>(x, n, to);
    case NumberType::kInt16: return mask_of<int16_t>(x, n, to);
    case NumberType::kInt32: return mask_of<int32_t>(x, n, to);
    case NumberType::kInt64: return mask_of<int64_t>(x, n, to);
    case NumberType::kFloat32: return mask_of<float>(x, n, to);
    case NumberType::kFloat64: return mask_of<double>(x, n, to);
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return 0;
  }
  return 0;
}

// f(position) for each set bit.
template <class F>
HWY_INLINE void each_bit(const uint64_t* mask, size_t words, F f) {
  for (size_t w = 0; w < words; ++w) {
    for (uint64_t word = mask[w]; word != 0; word &= word - 1) {
      f(w * kWord + static_cast<size_t>(__builtin_ctzll(word)));
    }
  }
}

void positions(const uint64_t* mask, size_t words, int64_t first, int64_t* y) {
  each_bit(mask, words, [&](size_t at) { *y++ = first + static_cast<int64_t>(at); });
}

template <class T>
void elements_of(const uint64_t* mask, size_t words, const void* x, void* y) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  each_bit(mask, words, [&](size_t at) { *to++ = from[at]; });
}

void elements(const uint64_t* mask, size_t words, const void* x, size_t element, void* y) {
  switch (element) {
    case 1: return elements_of<uint8_t>(mask, words, x, y);
    case 2: return elements_of<uint16_t>(mask, words, x, y);
    case 4: return elements_of<uint32_t>(mask, words, x, y);
    default: return elements_of<uint64_t>(mask, words, x, y);
  }
}

}  // namespace

const CompressFunctions compress = {mask, positions, elements};

}  // namespace coracle::internal::cpu::CORACLE_ISA
