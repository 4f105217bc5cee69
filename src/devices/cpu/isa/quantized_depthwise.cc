// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_depthwise.h"

#include <utility>

#include "devices/cpu/isa/quantized_finish.h"
#include "quantized_dots.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr auto kLanes = static_cast<int64_t>(kFloatLanes);
constexpr int64_t kVectorBytes = 4 * kLanes;
constexpr int64_t kTogether = 8;  // results of a row with their sums in registers
static_assert(kQuantizedStrip <= static_cast<int64_t>(kMostFinishedRows) && kQuantizedStrip % kTogether == 0);

// Vectors of channels of some rows of results, from column `out` on.
struct Strip {
  int64_t channel, count;  // of them; one vector or less, or two
  int64_t out, results;
  int64_t image;  // pixels in front of it
  int64_t y;      // of the first input row
  int64_t pairs;  // of input rows

  int64_t vectors() const { return count > kLanes ? 2 : 1; }
};

// The inputs of a strip as pairs of rows: to[pair][vector][column].
void widen(const QuantizedDepthwiseCall& c, const Strip& s, int64_t columns, char* to) {
  HWY_ALIGN int8_t zeros[2 * kFloatLanes] = {};
  const int64_t line = columns * kVectorBytes;
  const int64_t row_step = c.shares_pairs() ? 1 : c.dilation_y;
  const int64_t first = s.out * c.stride_x - c.pad_left;
  const int64_t begin = first < 0 ? (-first < columns ? -first : columns) : 0;
  const int64_t left = c.in_w - first < columns ? c.in_w - first : columns;
  const int64_t end = left < begin ? begin : left;
  for (int64_t pair = 0; pair < s.pairs; ++pair, to += s.vectors() * line) {
    for (int64_t v = 0; v < s.vectors(); ++v) {
      char* const of_vector = to + v * line;
      for (int64_t x = 0; x < begin; ++x) store_sums(broadcast_bits(0), of_vector + x * kVectorBytes);
      for (int64_t x = end; x < columns; ++x) store_sums(broadcast_bits(0), of_vector + x * kVectorBytes);
    }
    const int8_t* from[2];
    int64_t from_step[2];
    for (int64_t i = 0; i < 2; ++i) {
      const int64_t y = s.y + (2 * pair + i) * row_step;
      const bool inside = y >= 0 && y < c.in_h && begin < end;
      from[i] = inside ? c.input + (s.image + y * c.in_w + first + begin) * c.channels + s.channel : zeros;
      from_step[i] = inside ? c.channels : 0;
    }
    char* at = to + begin * kVectorBytes;
    char* const last = to + end * kVectorBytes;
    for (; at < last; at += kVectorBytes, from[0] += from_step[0], from[1] += from_step[1]) {
      if (s.count == 2 * kLanes) {
        interleave_two(from[0], from[1], at, at + line);
      } else if (s.count == kLanes) {
        store_sums(interleaved(from[0], from[1]), at);
      } else {
        int8_t parts[2][kFloatLanes] = {};
        memcpy(parts[0], from[0], static_cast<size_t>(s.count));
        memcpy(parts[1], from[1], static_cast<size_t>(s.count));
        store_sums(interleaved(parts[0], parts[1]), at);
      }
    }
  }
}

// Where the widened inputs of a vector of channels lie.
struct Taps {
  int64_t pairs;  // of rows, `pair_step` bytes apart
  int64_t pair_step;
  int64_t count;  // of a row, `step` bytes apart
  int64_t step;
  int64_t result_step;  // bytes from the first input of a result to that of the next
};

// Adjacent results from the widened inputs of the first one. kStride: of the window along rows; 0: any.
template <int64_t kStride, size_t... kResult>
HWY_INLINE void multiply(const Taps& taps, const char* from, const char* filter, float* tile, size_t tile_stride,
                         std::index_sequence<kResult...> /*results*/) {
  const int64_t step = kStride > 0 ? kStride * kVectorBytes : taps.result_step;
  Sums sums[sizeof...(kResult)];
  ((sums[kResult] = broadcast_bits(static_cast<int32_t>(0 * kResult))), ...);
  for (int64_t pair = 0; pair < taps.pairs; ++pair, from += taps.pair_step) {
    const char* at = from;
    for (int64_t tap = 0; tap < taps.count; ++tap, at += taps.step, filter += kVectorBytes) {
      const Sums w = load_sums(filter);
      ((sums[kResult] = add(sums[kResult], multiply_pairs(load_sums(at + static_cast<int64_t>(kResult) * step), w))),
       ...);
    }
  }
  (store_floats(sums[kResult], tile + kResult * tile_stride), ...);
}

using Multiply = void (*)(const Taps& taps, const char* from, const char* filter, float* tile, size_t tile_stride);

template <int64_t kStride>
void multiply_eight(const Taps& taps, const char* from, const char* filter, float* tile, size_t tile_stride) {
  multiply<kStride>(taps, from, filter, tile, tile_stride, std::make_index_sequence<kTogether>());
}

Multiply multiply_for(int64_t stride) {
  return stride == 1 ? multiply_eight<1> : stride == 2 ? multiply_eight<2> : multiply_eight<0>;
}

// Rows [row, row + rows) of results, counted through all images; they lie in one.
void run_strip(const QuantizedDepthwiseCall& c, const QuantizedFinishing& finishing, const Strip& s, int64_t row,
               int64_t rows) {
  auto* const widened = static_cast<char*>(c.scratch);
  const int64_t whole = (s.results + kTogether - 1) / kTogether * kTogether;
  const int64_t columns = (whole - 1) * c.stride_x + (c.kernel_w - 1) * c.dilation_x + 1;
  widen(c, s, columns, widened);
  const int64_t line = columns * kVectorBytes;
  const int64_t vectors = (c.channels + kLanes - 1) / kLanes;
  const auto tile_stride = static_cast<size_t>(s.vectors() * kLanes);
  const Multiply eight = multiply_for(c.stride_x);
  Taps taps = {0, s.vectors() * line, c.kernel_w, c.dilation_x * kVectorBytes, c.stride_x * kVectorBytes};
  HWY_ALIGN float tile[kQuantizedStrip * 2 * kLanes];
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t first_row = r * c.stride_y;  // of input
    const int64_t alignment = first_row % 2;
    taps.pairs = QuantizedDepthwiseCall::pairs(c.kernel_h, alignment);
    const int64_t in_front = alignment == 0 ? 0 : vectors * QuantizedDepthwiseCall::pairs(c.kernel_h, 0);
    const int64_t filter_bytes = taps.pairs * c.kernel_w * kVectorBytes;
    const char* const filter = reinterpret_cast<const char*>(c.filter) + in_front * c.kernel_w * kVectorBytes +
                               s.channel / kLanes * filter_bytes;
    const char* const from = widened + first_row / 2 * taps.pair_step;
    for (int64_t first = 0; first < s.results; first += kTogether) {
      for (int64_t v = 0; v < s.vectors(); ++v) {
        eight(taps, from + first * taps.result_step + v * line, filter + v * filter_bytes,
              tile + static_cast<size_t>(first) * tile_stride + v * kLanes, tile_stride);
      }
    }
    quantized_finish.finish(finishing, {tile, tile_stride, static_cast<size_t>(s.results), static_cast<size_t>(s.count),
                                        (row + r) * c.out_w + s.out, s.channel});
  }
}

void run(const QuantizedDepthwiseCall& call, int64_t begin, int64_t end) {
  QuantizedFinishing finishing;
  quantized_finish.prepare(call.result, finishing);
  const int64_t most = call.shares_pairs() ? kQuantizedRows : 1;
  Strip s{};
  int64_t rows = 0;
  for (int64_t row = begin; row < end; row += rows) {
    const int64_t y = row % call.out_h;
    rows = end - row < most ? end - row : most;
    if (call.out_h - y < rows) rows = call.out_h - y;
    s.image = row / call.out_h * call.in_h * call.in_w;
    s.y = y * call.stride_y - call.pad_top;
    s.pairs = (call.kernel_h + (rows - 1) * call.stride_y + 1) / 2;
    for (s.channel = 0; s.channel < call.channels; s.channel += s.count) {
      const int64_t left = call.channels - s.channel;
      s.count = left >= 2 * kLanes ? 2 * kLanes : (left < kLanes ? left : kLanes);
      for (s.out = 0; s.out < call.out_w; s.out += kQuantizedStrip) {
        s.results = call.out_w - s.out < kQuantizedStrip ? call.out_w - s.out : kQuantizedStrip;
        run_strip(call, finishing, s, row, rows);
      }
    }
  }
}

}  // namespace

const QuantizedDepthwiseFunctions quantized_depthwise = {.lanes = kLanes, .run = run};

}  // namespace coracle::internal::cpu::CORACLE_ISA
