// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/depthwise.h"

#include "denormals.h"
#include "depthwise_block.h"
#include "epilogue.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

constexpr int64_t kLanes = kFloatLanes;

int64_t padded(int64_t channels) { return (channels + kLanes - 1) / kLanes * kLanes; }

int64_t packed_floats(int64_t taps, int64_t channels) { return taps * padded(channels); }

void pack(const float* weights, int64_t taps, int64_t channels, float* packed) {
  for (int64_t t = 0; t < taps; ++t) {
    float* to = packed + t * padded(channels);
    for (int64_t c = 0; c < channels; ++c) to[c] = weights[c * taps + t];
    for (int64_t c = channels; c < padded(channels); ++c) to[c] = 0.0f;
    flush_denormals(to, channels);
  }
}

// The taps of some adjacent output pixels that all lie inside the image, and where the pixels go.
struct Strip {
  const float* input;               // first tap of the first pixel
  const float* weights;             // of the same tap
  int64_t rows, columns;            // taps
  int64_t input_row, input_column;  // floats from tap to tap
  int64_t weight_row, weight_column;
  int64_t pixel_step;  // floats from an output pixel's first tap to the next pixel's
  int64_t pixel;       // the first output pixel
};

enum class Width { kFull, kPartial };

// kPixels output pixels by kVectors vectors of channels from `channel` on; a partial vector has `count` channels.
template <int kPixels, int kVectors, Width kWidth>
HWY_INLINE void convolve(const DepthwiseCall& call, const Chain& chain, const Strip& strip, int64_t channel,
                         size_t count) {
  const FloatTag d;
  const auto load = [&](const float* p) HWY_ATTR {
    if constexpr (kWidth == Width::kPartial) {
      return load_partial(d, p, count);
    } else {
      return hn::LoadU(d, p);
    }
  };
  V sum[kPixels][kVectors];
  CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) {
    const V start = chain.bias == nullptr ? hn::Zero(d) : load(chain.bias + channel + j * kLanes);
    CORACLE_UNROLL for (int i = 0; i < kPixels; ++i) sum[i][j] = start;
  }
  const float* input_row = strip.input + channel;
  const float* weight_row = strip.weights + channel;
  for (int64_t y = 0; y < strip.rows; ++y, input_row += strip.input_row, weight_row += strip.weight_row) {
    const float* input = input_row;
    const float* weight = weight_row;
    for (int64_t x = 0; x < strip.columns; ++x, input += strip.input_column, weight += strip.weight_column) {
      V w[kVectors];
      CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) w[j] = hn::LoadU(d, weight + j * kLanes);
      const float* p = input;
      CORACLE_UNROLL for (int i = 0; i < kPixels; ++i, p += strip.pixel_step) {
        CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(load(p + j * kLanes), w[j], sum[i][j]);
      }
    }
  }
  if (chain.in_tile) {
    with_tile_epilogue<false>(chain.tile, [&](auto f) HWY_ATTR {
      float* c = call.output + strip.pixel * call.out_stride + channel;
      CORACLE_UNROLL for (int i = 0; i < kPixels; ++i, c += call.out_stride) {
        CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) {
          const V result = f(sum[i][j], c + j * kLanes);
          if constexpr (kWidth == Width::kPartial) {
            store_partial(d, result, c, count);
          } else {
            hn::StoreU(result, d, c + j * kLanes);
          }
        }
      }
    });
    return;
  }
  HWY_ALIGN float tile[kPixels * kVectors * kFloatLanes];
  int64_t pixels[kPixels];
  CORACLE_UNROLL for (int i = 0; i < kPixels; ++i) {
    pixels[i] = strip.pixel + i;
    CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) hn::Store(sum[i][j], d, tile + (i * kVectors + j) * kLanes);
  }
  apply_epilogue(chain.ops, chain.count, tile, kVectors * kFloatLanes, kPixels,
                 kWidth == Width::kPartial ? count : kVectors * kFloatLanes,
                 {call.output, call.out_stride, pixels, static_cast<size_t>(channel)});
}

// All channels of kPixels output pixels.
template <int kPixels, int kVectors>
void convolve_channels(const DepthwiseCall& call, const Chain& chain, const Strip& strip) {
  int64_t channel = 0;
  if constexpr (kVectors > 1) {
    for (; channel + kVectors * kLanes <= call.channels; channel += kVectors * kLanes) {
      convolve<kPixels, kVectors, Width::kFull>(call, chain, strip, channel, 0);
    }
  }
  for (; channel + kLanes <= call.channels; channel += kLanes) {
    convolve<kPixels, 1, Width::kFull>(call, chain, strip, channel, 0);
  }
  if (channel < call.channels) {
    convolve<kPixels, 1, Width::kPartial>(call, chain, strip, channel, static_cast<size_t>(call.channels - channel));
  }
}

struct Range {
  int64_t begin, end;
};

// The taps of one axis that lie inside the image for output position `out`.
HWY_INLINE Range taps_inside(int64_t out, int64_t stride, int64_t pad, int64_t dilation, int64_t kernel, int64_t size) {
  const int64_t start = out * stride - pad;
  int64_t begin = start < 0 ? (-start + dilation - 1) / dilation : 0;
  int64_t end = start < size ? (size - start + dilation - 1) / dilation : 0;
  if (end > kernel) end = kernel;
  if (begin > end) begin = end;
  return {begin, end};
}

void run_row(const DepthwiseCall& call, const Chain& chain, int64_t n, int64_t oy) {
  const Range ky = taps_inside(oy, call.stride_y, call.pad_top, call.dilation_y, call.kernel_h, call.in_h);
  const int64_t y = oy * call.stride_y - call.pad_top + ky.begin * call.dilation_y;
  Strip strip{};
  strip.rows = ky.end - ky.begin;
  strip.input_row = call.dilation_y * call.in_w * call.in_stride;
  strip.input_column = call.dilation_x * call.in_stride;
  strip.weight_row = call.kernel_w * call.weight_step;
  strip.weight_column = call.weight_step;
  strip.pixel_step = call.stride_x * call.in_stride;
  const float* row = call.input + (n * call.in_h + (strip.rows > 0 ? y : 0)) * call.in_w * call.in_stride;
  const float* weights = call.packed + ky.begin * strip.weight_row;

  int64_t ox = 0;
  while (ox < call.out_w) {
    const Range kx = taps_inside(ox, call.stride_x, call.pad_left, call.dilation_x, call.kernel_w, call.in_w);
    const int64_t x = ox * call.stride_x - call.pad_left + kx.begin * call.dilation_x;
    strip.columns = kx.end - kx.begin;
    strip.input = strip.columns > 0 ? row + x * call.in_stride : row;
    strip.weights = weights + kx.begin * call.weight_step;
    strip.pixel = (n * call.out_h + oy) * call.out_w + ox;
    // How many pixels from here on have all their columns inside.
    int64_t run = 1;
    if (strip.columns == call.kernel_w) {
      const int64_t last = call.in_w - 1 - (x + (call.kernel_w - 1) * call.dilation_x);
      run = last / call.stride_x + 1;
      if (run > call.out_w - ox) run = call.out_w - ox;
    }
    if (run >= 8) {
      convolve_channels<8, 1>(call, chain, strip);
      ox += 8;
    } else if (run >= 4) {
      convolve_channels<4, 2>(call, chain, strip);
      ox += 4;
    } else if (run >= 2) {
      convolve_channels<2, 4>(call, chain, strip);
      ox += 2;
    } else {
      convolve_channels<1, 4>(call, chain, strip);
      ox += 1;
    }
  }
}

void run(const DepthwiseCall& call, int64_t row_begin, int64_t row_end) {
  const Chain chain = split_epilogue(call.epilogue, call.epilogue_size);
  if (const BlockFunction blocks = find_block_function(call)) return blocks(call, chain, row_begin, row_end);
  for (int64_t row = row_begin; row < row_end; ++row) run_row(call, chain, row / call.out_h, row % call.out_h);
}

}  // namespace

extern const DepthwiseFunctions depthwise;
const DepthwiseFunctions depthwise = {packed_floats, pack, run};

}  // namespace coracle::internal::cpu::CORACLE_ISA
