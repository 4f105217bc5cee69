// SPDX-License-Identifier: Apache-2.0
//
// Rows of A of a product of integers (quantized_gemm.h), copied in the form that they are multiplied in. Included only
// by sources that are compiled once per instruction set.
#pragma once

#include <cstring>

#include "devices/cpu/isa/quantized_gemm.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Each number as a Packed, plus kZero.
template <class Packed, int kZero>
struct QuantizedCopy {
  static constexpr bool kBytes = sizeof(Packed) == 1;

  // Eight numbers, and fewer.
  static HWY_INLINE void eight(const int8_t* from, Packed* to) {
    if constexpr (kBytes) {
      uint64_t bits;
      memcpy(&bits, from, sizeof(bits));
      bits ^= uint64_t{0x0101010101010101} * static_cast<uint8_t>(kZero);
      memcpy(to, &bits, sizeof(bits));
    } else {
      const hn::CappedTag<int16_t, 8> d;
      const hn::Rebind<int8_t, decltype(d)> bytes;
      hn::StoreU(hn::PromoteTo(d, hn::LoadU(bytes, from)), d, to);
    }
  }
  static HWY_INLINE void few(const int8_t* HWY_RESTRICT from, int64_t count, Packed* HWY_RESTRICT to) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Packed>(from[i] + kZero);
  }

  // Most rows of filters and many images have few channels. The last eight numbers may be copied twice.
  static HWY_INLINE void copy(const int8_t* HWY_RESTRICT from, int64_t count, Packed* HWY_RESTRICT to) {
    if (count < 8) return few(from, count, to);
    int64_t i = 0;
    if constexpr (kBytes) {
      const hn::CappedTag<int8_t, 32> d;
      constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(d));
      const auto flip = hn::Set(d, static_cast<int8_t>(kZero));
      for (; i + kLanes <= count; i += kLanes) {
        hn::StoreU(hn::Xor(hn::LoadU(d, from + i), flip), d, reinterpret_cast<int8_t*>(to + i));
      }
    }
    for (; i + 8 <= count; i += 8) eight(from + i, to + i);
    if (i < count) eight(from + count - 8, to + count - 8);
  }

  static HWY_INLINE void fill(int64_t count, Packed* to) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Packed>(kZero);
  }
};

// Lines [begin, end) of padded images.
template <class Packed, int kZero>
void pad_lines(const PaddedImage& m, const int8_t* images, int8_t* to, int64_t begin, int64_t end) {
  using Copy = QuantizedCopy<Packed, kZero>;
  const int64_t line = m.width * m.channels;
  const int64_t left = m.left * m.channels;
  const int64_t copied_pixels = m.width - m.left < m.in_w ? m.width - m.left : m.in_w;
  const int64_t copied = copied_pixels < 0 ? 0 : copied_pixels * m.channels;
  for (int64_t l = begin; l < end; ++l) {
    const int64_t image = l / m.height;
    const int64_t y = l - image * m.height - m.top;
    auto* const at = reinterpret_cast<Packed*>(to + l * line);
    if (y < 0 || y >= m.in_h || copied == 0) {
      memset(at, kZero, static_cast<size_t>(line));
      continue;
    }
    memset(at, kZero, static_cast<size_t>(left));
    Copy::copy(images + (image * m.in_h + y) * m.in_w * m.channels, copied, at + left);
    memset(at + left + copied, kZero, static_cast<size_t>(line - left - copied));
  }
}

// Rows of A, one after the other: each adjacent numbers, or the pixels that the taps of a filter meet.
template <class Packed, int kZero, bool kTakesImages = true>
class QuantizedRows {
  using Copy = QuantizedCopy<Packed, kZero>;

 public:
  HWY_INLINE QuantizedRows(const QuantizedGemmCall& call, int64_t row)
      : call_(call), image_(kTakesImages ? call.image : nullptr) {
    if (!kTakesImages || image_ == nullptr) {
      from_ = call.a + row * call.a_stride;
      return;
    }
    const int64_t y = row / image_->out_w;
    ox_ = row % image_->out_w;
    oy_ = y % image_->out_h;
    from_ = call.a + y / image_->out_h * image_->in_h * image_->in_w * image_->in_channels;
  }

  // `stride` apart, which is at least the depth.
  HWY_INLINE void copy_next(int64_t rows, int64_t stride, Packed* to) {
    const bool adjacent = (!kTakesImages || image_ == nullptr) && call_.a_stride == stride && call_.depth == stride;
    if (adjacent) {
      Copy::copy(from_, rows * stride, to);
      from_ += rows * stride;
      return;
    }
    for (int64_t r = 0; r < rows; ++r) copy_next(to + r * stride);
  }

 private:
  HWY_INLINE void copy_next(Packed* to) {
    if (!kTakesImages || image_ == nullptr) {
      Copy::copy(from_, call_.depth, to);
      from_ += call_.a_stride;
      return;
    }
    const GemmImage& m = *image_;
    for (int64_t t = 0; t < call_.taps; ++t, to += call_.depth) {
      const int64_t y = oy_ * m.stride_y + m.tap_y[t];
      const int64_t x = ox_ * m.stride_x + m.tap_x[t];
      if (y >= 0 && y < m.in_h && x >= 0 && x <= m.in_w - m.join) {
        Copy::copy(from_ + (y * m.in_w + x) * m.in_channels, call_.depth, to);
      } else {
        copy_from_edge(y, x, to);
      }
    }
    if (++ox_ < m.out_w) return;
    ox_ = 0;
    if (++oy_ < m.out_h) return;
    oy_ = 0;
    from_ += m.in_h * m.in_w * m.in_channels;
  }

  // Pixels of which some are outside of the image.
  HWY_NOINLINE void copy_from_edge(int64_t y, int64_t x, Packed* to) const {
    const GemmImage& m = *image_;
    const int64_t n = call_.depth / m.join;
    const int64_t begin = x < 0 ? (-x < m.join ? -x : m.join) : 0;
    int64_t end = m.in_w - x < m.join ? m.in_w - x : m.join;
    if (y < 0 || y >= m.in_h || end < begin) end = begin;
    if (begin > 0) Copy::fill(begin * n, to);
    if (end > begin) Copy::copy(from_ + (y * m.in_w + x + begin) * m.in_channels, (end - begin) * n, to + begin * n);
    if (end < m.join) Copy::fill((m.join - end) * n, to + end * n);
  }

  const QuantizedGemmCall& call_;
  const GemmImage* const image_;
  const int8_t* from_;  // the next row, or the image that it lies in
  int64_t ox_ = 0;      // the next row's place in the result
  int64_t oy_ = 0;
};

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
