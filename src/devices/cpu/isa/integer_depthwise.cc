// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/integer_depthwise.h"

#include "integer_finish.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

constexpr size_t kPixels = static_cast<size_t>(kIntegerPixels);

template <bool kPartial>
HWY_INLINE V load_integers(const int8_t* from, [[maybe_unused]] size_t count) {
  if constexpr (kPartial) {
    return hn::ConvertTo(FloatTag(), hn::PromoteTo(IntTag(), load_int8_part(from, count)));
  } else {
    return hn::ConvertTo(FloatTag(), hn::PromoteTo(IntTag(), hn::LoadU(Int8Tag(), from)));
  }
}

// One vector of channels from `channel` on of kPixels pixels.
template <bool kPartial>
void multiply(const IntegerDepthwiseCall& call, size_t taps, size_t channel, size_t count, float* tile) {
  const FloatTag d;
  V sum[kPixels];
  CORACLE_UNROLL for (size_t p = 0; p < kPixels; ++p) sum[p] = hn::Zero(d);
  const int8_t* const* from = call.taps;
  const float* filter = call.filter + channel;
  for (size_t t = 0; t < taps; ++t, from += kPixels, filter += call.channels) {
    const V weight = kPartial ? load_partial(d, filter, count) : hn::LoadU(d, filter);
    CORACLE_UNROLL for (size_t p = 0; p < kPixels; ++p) {
      sum[p] = hn::MulAdd(load_integers<kPartial>(from[p] + channel, count), weight, sum[p]);
    }
  }
  CORACLE_UNROLL for (size_t p = 0; p < kPixels; ++p) hn::StoreU(sum[p], d, tile + p * kFloatLanes);
}

// Where the taps of pixels [x, x + kPixels) of row `row` lie; a last group repeats the last pixel.
void find_taps(const IntegerDepthwiseCall& c, int64_t row, int64_t x) {
  const int8_t* image = c.input + row / c.out_h * c.in_h * c.in_w * c.channels;
  const int64_t oy = row % c.out_h;
  const int8_t** to = c.taps;
  for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
    const int64_t y = oy * c.stride_y - c.pad_top + ky * c.dilation_y;
    const bool inside = y >= 0 && y < c.in_h;
    for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
      for (int64_t p = 0; p < kIntegerPixels; ++p) {
        const int64_t ox = x + p < c.out_w ? x + p : c.out_w - 1;
        const int64_t at = ox * c.stride_x - c.pad_left + kx * c.dilation_x;
        *to++ = inside && at >= 0 && at < c.in_w ? image + (y * c.in_w + at) * c.channels : c.zeros;
      }
    }
  }
}

void run(const IntegerDepthwiseCall& call, int64_t begin, int64_t end) {
  const Finisher finisher(call.result);
  const auto taps = static_cast<size_t>(call.kernel_h * call.kernel_w);
  const auto channels = static_cast<size_t>(call.channels);
  HWY_ALIGN float tile[kPixels * kFloatLanes];
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t x = 0; x < call.out_w; x += kIntegerPixels) {
      find_taps(call, row, x);
      const int64_t left = call.out_w - x;
      const size_t pixels = left < kIntegerPixels ? static_cast<size_t>(left) : kPixels;
      for (size_t c = 0; c < channels; c += kFloatLanes) {
        const size_t count = channels - c < kFloatLanes ? channels - c : kFloatLanes;
        if (count == kFloatLanes) {
          multiply<false>(call, taps, c, count, tile);
        } else {
          multiply<true>(call, taps, c, count, tile);
        }
        finisher.finish(tile, kFloatLanes, pixels, count, row * call.out_w + x, static_cast<int64_t>(c));
      }
    }
  }
}

}  // namespace

const IntegerDepthwiseFunctions integer_depthwise = {run};

}  // namespace coracle::cpu::CORACLE_ISA
