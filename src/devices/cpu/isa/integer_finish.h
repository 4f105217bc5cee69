// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a tile of sums of integers (integer_result.h). Included only by sources that are compiled once per
// instruction set. Each element's result depends on that element alone; there are no fused multiply-adds before the
// functions of an epilogue, so that all instruction sets give the same bits.
#pragma once

#include "devices/cpu/isa/epilogue.h"
#include "devices/cpu/isa/integer_result.h"
#include "devices/cpu/isa/quantized.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

constexpr size_t kMostFinishedRows = 16;

class Finisher {
 public:
  explicit HWY_INLINE Finisher(const IntegerResult& result) : result_(result) {
    const EpilogueOp* ops = result.epilogue;
    int count = result.epilogue_size;
    if (count > 0 && ops[0].step.kind == EpilogueKind::kMultiplyChannel) {
      factor_ = ops[0].tensor;
      ++ops;
      --count;
    }
    chain_ = split_epilogue(ops, count);
  }

  // tile[r * tile_stride + j], r < rows <= kMostFinishedRows, j < columns, becomes channel `channel` + j of pixel
  // `pixel` + r. Rows of the tile have an integer of vectors; they are overwritten.
  HWY_INLINE void finish(float* tile, size_t tile_stride, size_t rows, size_t columns, int64_t pixel,
                         int64_t channel) const {
    if (result_.scale == 0) {
      finish_as<Floats>(tile, tile_stride, rows, columns, pixel, channel);
    } else if (result_.round_half_away) {
      finish_as<Integers<true>>(tile, tile_stride, rows, columns, pixel, channel);
    } else {
      finish_as<Integers<false>>(tile, tile_stride, rows, columns, pixel, channel);
    }
  }

 private:
  using V = FloatVector;

  struct Floats {
    using T = float;
    explicit HWY_INLINE Floats(float) {}
    HWY_INLINE void store(V v, float* to, size_t width) const {
      const FloatTag d;
      if (width == kFloatLanes) {
        hn::StoreU(v, d, to);
      } else {
        store_partial(d, v, to, width);
      }
    }
  };
  template <bool kHalfAway>
  struct Integers {
    using T = int8_t;
    Int8Rounding<kHalfAway> rounding;
    explicit HWY_INLINE Integers(float scale) : rounding(scale) {}
    HWY_INLINE void store(V v, int8_t* to, size_t width) const {
      const auto integers = rounding(v);
      if (width == kFloatLanes) {
        hn::StoreU(integers, Int8Tag(), to);
      } else {
        store_int8_part(integers, to, width);
      }
    }
  };

  template <class Out>
  HWY_INLINE void finish_as(float* tile, size_t tile_stride, size_t rows, size_t columns, int64_t pixel,
                            int64_t channel) const {
    using T = typename Out::T;
    const FloatTag d;
    const Out out(result_.scale);
    T* const to = static_cast<T*>(result_.data) + pixel * result_.stride + channel;
    const auto stride = static_cast<size_t>(result_.stride);
    const auto width_at = [columns](size_t j) { return columns - j < kFloatLanes ? columns - j : kFloatLanes; };
    with_tile_epilogue<false>(chain_.tile, [&](auto function) HWY_ATTR {
      for (size_t j = 0; j < columns; j += kFloatLanes) {
        const size_t width = width_at(j);
        const V factor = factor_ == nullptr ? set(d, 1.0) : channels(factor_ + channel + j, width);
        const V bias = chain_.bias == nullptr ? hn::Zero(d) : channels(chain_.bias + channel + j, width);
        for (size_t r = 0; r < rows; ++r) {
          float* const at = tile + r * tile_stride + j;
          const V v = function(hn::Add(hn::Mul(hn::LoadU(d, at), factor), bias), nullptr);
          if (chain_.in_tile) {
            out.store(v, to + r * stride + j, width);
          } else {
            hn::StoreU(v, d, at);
          }
        }
      }
    });
    if (chain_.in_tile) return;
    int64_t pixels[kMostFinishedRows];
    for (size_t r = 0; r < rows; ++r) pixels[r] = pixel + static_cast<int64_t>(r);
    float* const first = tile - pixel * static_cast<int64_t>(tile_stride) - channel;
    apply_epilogue(chain_.ops, chain_.count, tile, tile_stride, rows, columns,
                   {first, static_cast<int64_t>(tile_stride), pixels, static_cast<size_t>(channel)});
    for (size_t j = 0; j < columns; j += kFloatLanes) {
      for (size_t r = 0; r < rows; ++r) {
        out.store(hn::LoadU(d, tile + r * tile_stride + j), to + r * stride + j, width_at(j));
      }
    }
  }

  static HWY_INLINE V channels(const float* from, size_t width) {
    const FloatTag d;
    return width == kFloatLanes ? hn::LoadU(d, from) : load_partial(d, from, width);
  }

  const IntegerResult& result_;
  const float* factor_ = nullptr;
  Chain chain_;
};

}  // namespace
}  // namespace coracle::cpu::CORACLE_ISA
