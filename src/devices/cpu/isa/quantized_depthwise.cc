// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_depthwise.h"

#include <algorithm>
#include <utility>

#include "devices/cpu/isa/quantized_finish.h"
#include "quantized_dots.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// CORACLE_WIDE_TAPS: SMLAL adds products of numbers of 16 bits to sums of 32.
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64 && !CORACLE_DOT_PRODUCTS
#define CORACLE_WIDE_TAPS 1
#else
#define CORACLE_WIDE_TAPS 0
#endif
// CORACLE_FOUR_VECTORS: ST4 groups the bytes of four vectors of channels.
#if HWY_TARGET == HWY_NEON && CORACLE_DOT_PRODUCTS
#define CORACLE_FOUR_VECTORS 1
#else
#define CORACLE_FOUR_VECTORS 0
#endif

constexpr int64_t kLanes = (CORACLE_WIDE_TAPS ? 2 : 1) * static_cast<int64_t>(kSumLanes);
constexpr auto kVectorBytes = static_cast<int64_t>(sizeof(Sums));
constexpr int64_t kVectors = CORACLE_FOUR_VECTORS ? 4 : 2;  // of channels, at most, of a strip
constexpr int64_t kTogether = 8;                            // results of a row with their sums in registers
constexpr int64_t kGroupRows = CORACLE_DOT_PRODUCTS ? 4 : CORACLE_WIDE_TAPS ? 1 : 2;
constexpr int64_t kGroupStep =
    kGroupRows <= 2 ? 1 : kGroupRows / 2;  // from a result's group of shared ones to its next
constexpr bool kAddsToBytes = CORACLE_DOT_PRODUCTS && HWY_TARGET != HWY_NEON;  // 128, as they have no sign there
static_assert(kQuantizedStrip <= static_cast<int64_t>(kMostFinishedRows) && kQuantizedStrip % kTogether == 0);

// Vectors of channels of some rows of results, from column `out` on.
struct Strip {
  int64_t channel, count;  // of them; one vector or less, two or four
  int64_t out, results;
  int64_t image;   // pixels in front of it
  int64_t y;       // of the first input row
  int64_t groups;  // of input rows

  int64_t vectors() const { return (count + kLanes - 1) / kLanes; }
  // Bytes from a column of the grouped inputs to the next: four vectors lie side by side, others in lines of `columns`.
  int64_t column_bytes() const { return vectors() == 4 ? 4 * kVectorBytes : kVectorBytes; }
  int64_t line_bytes(int64_t columns) const { return vectors() == 4 ? kVectorBytes : columns * kVectorBytes; }
};

// Vectors of channels of the rows of a group, of which the next vector follows `line` bytes on.
template <size_t kRows>
HWY_INLINE void group_rows(const int8_t* const (&rows)[kRows], int64_t vectors, int64_t line, char* to) {
#if CORACLE_FOUR_VECTORS
  if (vectors == 4) {
    const int8x16x4_t four = {{vld1q_s8(rows[0]), vld1q_s8(rows[1]), vld1q_s8(rows[2]), vld1q_s8(rows[3])}};
    return vst4q_s8(reinterpret_cast<int8_t*>(to), four);
  }
  Sums second;
  store_sums(interleaved_four(rows, vectors, second), to);
  if (vectors == 2) store_sums(second, to + line);
#elif CORACLE_DOT_PRODUCTS
  store_sums(interleaved_four(rows), to);
  if (vectors == 1) return;
  const int8_t* const next[] = {rows[0] + kLanes, rows[1] + kLanes, rows[2] + kLanes, rows[3] + kLanes};
  store_sums(interleaved_four(next), to + line);
#elif CORACLE_WIDE_TAPS
  if (vectors == 2) {
    const int8x16_t both = vld1q_s8(rows[0]);
    vst1q_s16(reinterpret_cast<int16_t*>(to), vmovl_s8(vget_low_s8(both)));
    vst1q_s16(reinterpret_cast<int16_t*>(to + line), vmovl_high_s8(both));
  } else {
    vst1q_s16(reinterpret_cast<int16_t*>(to), vmovl_s8(vld1_s8(rows[0])));
  }
#else
  if (vectors == 2) {
    interleave_two(rows[0], rows[1], to, to + line);
  } else {
    store_sums(interleaved(rows[0], rows[1]), to);
  }
#endif
}

// The inputs of a strip as groups of rows: to[group][vector][column].
void group_inputs(const QuantizedDepthwiseCall& c, const Strip& s, int64_t columns, char* to) {
  HWY_ALIGN int8_t zeros[kVectors * kLanes] = {};
  const Sums outside = broadcast_bits(kAddsToBytes ? static_cast<int32_t>(0x80808080) : 0);
  const int64_t line = s.line_bytes(columns);
  const int64_t column = s.column_bytes();
  const int64_t row_step = c.shares_groups() ? 1 : c.dilation_y;
  const int64_t group_step = c.shares_groups() && kGroupRows > 1 ? 2 : kGroupRows;
  const int64_t first = s.out * c.stride_x - c.pad_left;
  const int64_t begin = first < 0 ? (-first < columns ? -first : columns) : 0;
  const int64_t left = c.in_w - first < columns ? c.in_w - first : columns;
  const int64_t end = left < begin ? begin : left;
  for (int64_t group = 0; group < s.groups; ++group, to += s.vectors() * columns * kVectorBytes) {
    for (int64_t v = 0; v < s.vectors(); ++v) {
      char* const of_vector = to + v * line;
      for (int64_t x = 0; x < begin; ++x) store_sums(outside, of_vector + x * column);
      for (int64_t x = end; x < columns; ++x) store_sums(outside, of_vector + x * column);
    }
    const int8_t* from[kGroupRows];
    int64_t from_step[kGroupRows];
    for (int64_t i = 0; i < kGroupRows; ++i) {
      const int64_t y = s.y + (group_step * group + i) * row_step;
      const bool inside = y >= 0 && y < c.in_h && begin < end;
      from[i] = inside ? c.input + (s.image + y * c.in_w + first + begin) * c.channels + s.channel : zeros;
      from_step[i] = inside ? c.channels : 0;
    }
    char* const last = to + end * column;
    char* at = to + begin * column;
    if (s.count % kLanes == 0) {
      const auto copy = [&]<int64_t kCount>() HWY_ATTR {
        for (; at < last; at += kCount == 4 ? 4 * kVectorBytes : kVectorBytes) {
          group_rows(from, kCount, line, at);
          for (int64_t i = 0; i < kGroupRows; ++i) from[i] += from_step[i];
        }
      };
      switch (s.vectors()) {
        case 1: copy.template operator()<1>(); break;
        case 2: copy.template operator()<2>(); break;
        default: copy.template operator()<kVectors>();
      }
      continue;
    }
    int8_t parts[kGroupRows][kLanes] = {};
    const int8_t* part_rows[kGroupRows];
    for (int64_t i = 0; i < kGroupRows; ++i) part_rows[i] = parts[i];
    for (; at < last; at += column) {
      for (int64_t i = 0; i < kGroupRows; ++i) memcpy(parts[i], from[i], static_cast<size_t>(s.count));
      group_rows(part_rows, 1, line, at);
      for (int64_t i = 0; i < kGroupRows; ++i) from[i] += from_step[i];
    }
  }
}

// Where the grouped inputs of a vector of channels lie.
struct Taps {
  int64_t groups;  // of rows, `group_step` bytes apart
  int64_t group_step;
  int64_t count;  // of a row, `step` bytes apart
  int64_t step;
  int64_t result_step;  // bytes from the first input of a result to that of the next
};

#if CORACLE_WIDE_TAPS
struct TapSums {
  Sums low, high;
};
HWY_INLINE TapSums start_of_taps(Sums start) { return {start, start}; }
HWY_INLINE void add_group(TapSums& sum, Sums inputs, Sums filter) {
  const int16x8_t x = vreinterpretq_s16_s32(inputs);
  const int16x8_t y = vreinterpretq_s16_s32(filter);
  sum.low = vmlal_s16(sum.low, vget_low_s16(x), vget_low_s16(y));
  sum.high = vmlal_high_s16(sum.high, x, y);
}
HWY_INLINE void store_floats(const TapSums& sum, float* to) {
  store_floats(sum.low, to);
  store_floats(sum.high, to + kSumLanes);
}
#else
using TapSums = Sums;
HWY_INLINE TapSums start_of_taps(const Sums& start) { return start; }
HWY_INLINE void add_group(Sums& sum, const Sums& inputs, const Sums& filter) {
#if CORACLE_DOT_PRODUCTS
  add_dot_products(sum, inputs, filter);
#else
  sum = add(sum, multiply_pairs(inputs, filter));
#endif
}
#endif

// The products of a row of kTaps adjacent taps for results of stride 1: each input is loaded once. kColumn: bytes from
// a column to the next.
template <size_t kTaps, size_t kColumn, size_t... kResult, size_t... kAtColumn>
HWY_INLINE void add_row(TapSums (&sums)[sizeof...(kResult)], const char* from, const char* filter,
                        std::index_sequence<kResult...> /*results*/, std::index_sequence<kAtColumn...> /*columns*/) {
  Sums w[kTaps];
  CORACLE_UNROLL for (size_t t = 0; t < kTaps; ++t) w[t] = load_sums(filter + t * kVectorBytes);
  const auto add_column = [&]<size_t kAt>() HWY_ATTR {
    const Sums x = load_sums(from + kAt * kColumn);
    const auto add_to = [&]<size_t kTo>() HWY_ATTR {
      if constexpr (kAt >= kTo && kAt - kTo < kTaps) add_group(sums[kTo], x, w[kAt - kTo]);
    };
    (add_to.template operator()<kResult>(), ...);
  };
  (add_column.template operator()<kAtColumn>(), ...);
}

// Adjacent results from the grouped inputs of the first one. kStride: of the window along rows; 0: any. kTaps: how many
// there are, side by side; 0: any. kColumn: bytes from a column to the next.
template <int64_t kStride, int64_t kTaps, int64_t kColumn, size_t... kResult>
HWY_INLINE void multiply(const Taps& taps, const char* from, const char* filter, float* tile, size_t tile_stride,
                         std::index_sequence<kResult...> results) {
  const int64_t step = kStride > 0 ? kStride * kColumn : taps.result_step;
  const TapSums start = start_of_taps(kAddsToBytes ? load_sums(filter) : broadcast_bits(0));
  if constexpr (kGroupRows == 4) filter += kVectorBytes;
  TapSums sums[sizeof...(kResult)];
  ((static_cast<void>(kResult), sums[kResult] = start), ...);
  for (int64_t group = 0; group < taps.groups; ++group, from += taps.group_step) {
    if constexpr (kTaps > 0) {
      constexpr auto kCount = static_cast<size_t>(kTaps);
      add_row<kCount, kColumn>(sums, from, filter, results,
                               std::make_index_sequence<sizeof...(kResult) + kCount - 1>());
      filter += kTaps * kVectorBytes;
    } else {
      const char* at = from;
      for (int64_t tap = 0; tap < taps.count; ++tap, at += taps.step, filter += kVectorBytes) {
        const Sums w = load_sums(filter);
        (add_group(sums[kResult], load_sums(at + static_cast<int64_t>(kResult) * step), w), ...);
      }
    }
  }
  (store_floats(sums[kResult], tile + kResult * tile_stride), ...);
}

using Multiply = void (*)(const Taps& taps, const char* from, const char* filter, float* tile, size_t tile_stride);

template <int64_t kStride, int64_t kTaps, int64_t kColumn>
void multiply_eight(const Taps& taps, const char* from, const char* filter, float* tile, size_t tile_stride) {
  multiply<kStride, kTaps, kColumn>(taps, from, filter, tile, tile_stride, std::make_index_sequence<kTogether>());
}

template <int64_t kColumn>
Multiply multiply_for(int64_t stride, [[maybe_unused]] const Taps& taps) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64  // which has registers for a filter's row
  if (stride == 1 && taps.step == kColumn) {
    if (taps.count == 3) return multiply_eight<1, 3, kColumn>;
    if (taps.count == 5) return multiply_eight<1, 5, kColumn>;
  }
#endif
  return stride == 1   ? multiply_eight<1, 0, kColumn>
         : stride == 2 ? multiply_eight<2, 0, kColumn>
                       : multiply_eight<0, 0, kColumn>;
}

// Rows [row, row + rows) of results, counted through all images; they lie in one.
void run_strip(const QuantizedDepthwiseCall& c, const QuantizedFinishing& finishing, const Strip& s, int64_t row,
               int64_t rows) {
  auto* const grouped = static_cast<char*>(c.scratch);
  const int64_t whole = (s.results + kTogether - 1) / kTogether * kTogether;
  const int64_t columns = (whole - 1) * c.stride_x + (c.kernel_w - 1) * c.dilation_x + 1;
  group_inputs(c, s, columns, grouped);
  const int64_t line = s.line_bytes(columns);
  const int64_t column = s.column_bytes();
  const int64_t group_bytes = s.vectors() * columns * kVectorBytes;
  const int64_t vectors = (c.channels + kLanes - 1) / kLanes;
  const auto tile_stride = static_cast<size_t>(s.vectors() * kLanes);
  Taps taps = {0, c.shares_groups() ? kGroupStep * group_bytes : group_bytes, c.kernel_w, c.dilation_x * column,
               c.stride_x * column};
  constexpr int64_t kWidest = CORACLE_FOUR_VECTORS ? 4 * kVectorBytes : kVectorBytes;
  const Multiply eight =
      column == kVectorBytes ? multiply_for<kVectorBytes>(c.stride_x, taps) : multiply_for<kWidest>(c.stride_x, taps);
  HWY_ALIGN float tile[kQuantizedStrip * kVectors * kLanes];
  const QuantizedDepthwiseFunctions& functions = quantized_depthwise;
  const int64_t in_front = vectors * functions.filter_bytes(c.kernel_h, c.kernel_w, 0);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t first_row = r * c.stride_y;  // of input
    const int64_t alignment = kGroupRows == 1 ? 0 : first_row % 2;
    taps.groups = functions.groups(c.kernel_h, alignment);
    const int64_t filter_bytes = functions.filter_bytes(c.kernel_h, c.kernel_w, alignment);
    const char* const filter =
        static_cast<const char*>(c.filter) + alignment * in_front + s.channel / kLanes * filter_bytes;
    const char* const from = grouped + (kGroupRows == 1 ? first_row : first_row / 2) * group_bytes;
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
  const int64_t most = call.shares_groups() ? kQuantizedRows : 1;
  Strip s{};
  int64_t rows = 0;
  for (int64_t row = begin; row < end; row += rows) {
    const int64_t y = row % call.out_h;
    rows = end - row < most ? end - row : most;
    if (call.out_h - y < rows) rows = call.out_h - y;
    s.image = row / call.out_h * call.in_h * call.in_w;
    s.y = y * call.stride_y - call.pad_top;
    s.groups = quantized_depthwise.input_groups(call, rows);
    for (s.channel = 0; s.channel < call.channels; s.channel += s.count) {
      const int64_t left = call.channels - s.channel;
      s.count = left >= kVectors * kLanes ? kVectors * kLanes
                : left >= 2 * kLanes      ? 2 * kLanes
                                          : std::min(left, kLanes);
      for (s.out = 0; s.out < call.out_w; s.out += call.strip()) {
        s.results = call.out_w - s.out < call.strip() ? call.out_w - s.out : call.strip();
        run_strip(call, finishing, s, row, rows);
      }
    }
  }
}

}  // namespace

const QuantizedDepthwiseFunctions quantized_depthwise = {
    .lanes = kLanes, .group_rows = kGroupRows, .vectors = kVectors, .run = run};

}  // namespace coracle::internal::cpu::CORACLE_ISA
