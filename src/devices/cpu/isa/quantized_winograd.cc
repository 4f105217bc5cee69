// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantized_winograd.h"

#include <utility>

#include "devices/cpu/isa/quantized_finish.h"
#include "quantized_dots.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr auto kLanes = static_cast<int64_t>(kFloatLanes);
constexpr int kSide = 6;  // of the inputs of a tile
constexpr int kOut = 4;   // of its results
constexpr int64_t kPoints = kQuantizedWinogradPoints;
constexpr int64_t kMostPixels = static_cast<int64_t>(kMostFinishedRows) / kOut * kOut;  // of a row of adjacent tiles
#if HWY_TARGET == HWY_AVX3
constexpr int64_t kRows = 12;
#elif HWY_TARGET == HWY_AVX2
constexpr int64_t kRows = 6;
#else
constexpr int64_t kRows = 4;
#endif

using Narrow = hn::ScalableTag<int16_t>;
using NarrowVector = hn::Vec<Narrow>;
using IntVector = hn::Vec<IntTag>;
constexpr auto kNarrowLanes = static_cast<int64_t>(HWY_LANES(int16_t));

struct TilePlace {
  int64_t image, y, x;  // of the first result
};

HWY_INLINE TilePlace place_of(const QuantizedWinogradCall& call, int64_t tile) {
  const int64_t row = tile / call.tiles_w();
  return {row / call.tiles_h(), row % call.tiles_h() * kOut, tile % call.tiles_w() * kOut};
}

HWY_INLINE void transform_line(NarrowVector* HWY_RESTRICT v) {
  const auto four = [](NarrowVector x) HWY_ATTR { return hn::ShiftLeft<2>(x); };
  const NarrowVector even = hn::Sub(v[4], four(v[2]));
  const NarrowVector odd = hn::Sub(v[3], four(v[1]));
  const NarrowVector even_half = hn::Sub(v[4], v[2]);
  const NarrowVector odd_half = hn::Sub(v[3], v[1]);
  const NarrowVector odd_twice = hn::Add(odd_half, odd_half);
  const NarrowVector first = hn::Add(hn::Sub(four(v[0]), v[2]), even);     // 4 v0 - 5 v2 + v4
  const NarrowVector last = hn::Sub(hn::Sub(v[5], v[3]), four(odd_half));  // 4 v1 - 5 v3 + v5
  v[0] = first;
  v[1] = hn::Add(even, odd);
  v[2] = hn::Sub(even, odd);
  v[3] = hn::Add(even_half, odd_twice);
  v[4] = hn::Sub(even_half, odd_twice);
  v[5] = last;
}

// One vector of channels of a tile; `count` of them are there, `stored` are written. pixel(y, x): where an input's
// begin.
template <bool kPartial, class Pixel>
HWY_INLINE void transform_inputs(const Pixel& pixel, int64_t count, int64_t stored, int64_t point_stride, int16_t* to) {
  const Narrow d;
  const hn::Rebind<int8_t, Narrow> bytes;
  HWY_ALIGN int16_t lines[kPoints * kNarrowLanes];
  for (int y = 0; y < kSide; ++y) {
    NarrowVector v[kSide];
    CORACLE_UNROLL for (int x = 0; x < kSide; ++x) {
      const int8_t* from = pixel(y, x);
      if constexpr (kPartial) {
        HWY_ALIGN int8_t part[kNarrowLanes] = {};
        memcpy(part, from, static_cast<size_t>(count));
        v[x] = hn::PromoteTo(d, hn::LoadU(bytes, part));
      } else {
        v[x] = hn::PromoteTo(d, hn::LoadU(bytes, from));
      }
    }
    transform_line(v);
    CORACLE_UNROLL for (int x = 0; x < kSide; ++x) hn::Store(v[x], d, lines + (y * kSide + x) * kNarrowLanes);
  }
  for (int x = 0; x < kSide; ++x) {
    NarrowVector v[kSide];
    CORACLE_UNROLL for (int y = 0; y < kSide; ++y) v[y] = hn::Load(d, lines + (y * kSide + x) * kNarrowLanes);
    transform_line(v);
    CORACLE_UNROLL for (int y = 0; y < kSide; ++y) {
      int16_t* at = to + (y * kSide + x) * point_stride;
      if constexpr (kPartial) {
        HWY_ALIGN int16_t part[kNarrowLanes];
        hn::Store(v[y], d, part);
        memcpy(at, part, static_cast<size_t>(stored) * sizeof(int16_t));
      } else {
        hn::StoreU(v[y], d, at);
      }
    }
  }
}

// All channels of a tile; pixel(y, x, channel): where an input lies.
template <class Pixel>
HWY_INLINE void transform_channels(const QuantizedWinogradCall& call, const Pixel& pixel, int16_t* to) {
  const int64_t step = call.chunk * call.pairs() * 2;
  const int64_t channels = call.in_channels;
  int64_t channel = 0;
  for (; channel + kNarrowLanes <= channels; channel += kNarrowLanes) {
    transform_inputs<false>([&](int y, int x) HWY_ATTR { return pixel(y, x, channel); }, kNarrowLanes, kNarrowLanes,
                            step, to + channel);
  }
  if (channel < channels) {
    transform_inputs<true>([&](int y, int x) HWY_ATTR { return pixel(y, x, channel); }, channels - channel,
                           call.pairs() * 2 - channel, step, to + channel);
  }
}

void transform_tile(const QuantizedWinogradCall& call, const int8_t* zeros, int64_t tile, int16_t* to) {
  const TilePlace at = place_of(call, tile);
  const int64_t row = call.in_w * call.in_channels;
  const int64_t top = at.y - call.pad_top;
  const int64_t left = at.x - call.pad_left;
  const int64_t first = (at.image * call.in_h + top) * row + left * call.in_channels;
  const auto place = [&](int y, int x, int64_t channel)
                         HWY_ATTR { return call.input + (first + y * row + x * call.in_channels + channel); };
  if (top >= 0 && left >= 0 && top + kSide <= call.in_h && left + kSide <= call.in_w) {
    return transform_channels(call, place, to);
  }
  const auto place_or_zeros = [&](int y, int x, int64_t channel) HWY_ATTR {
    const bool inside = top + y >= 0 && top + y < call.in_h && left + x >= 0 && left + x < call.in_w;
    return inside ? place(y, x, channel) : zeros;
  };
  transform_channels(call, place_or_zeros, to);
}

// Products of tiles, `stride` numbers apart, with one panel of a point's filter.
template <int kVectors, size_t... kRow>
HWY_INLINE void multiply(const int16_t* HWY_RESTRICT a, int64_t stride, int64_t pairs, const char* HWY_RESTRICT b,
                         int32_t* HWY_RESTRICT to, int64_t to_stride, std::index_sequence<kRow...> /*rows*/) {
  struct RowSums {
    Sums first, second;
  };
  constexpr size_t kBytes = sizeof(Sums);
  constexpr size_t kSecond = (kVectors - 1) * kBytes;
  const Sums zero = broadcast_bits(0);
  RowSums sums[sizeof...(kRow)] = {(static_cast<void>(kRow), RowSums{zero, zero})...};
  for (int64_t k = 0; k < pairs; ++k, a += 2, b += kVectors * kBytes) {
    const Sums first = load_sums(b);
    const Sums second = load_sums(b + kSecond);
    const auto add_row = [&](RowSums& row, const int16_t* from) HWY_ATTR {
      const Sums x = broadcast_group(from);
      row.first = add(row.first, multiply_pairs(x, first));
      if constexpr (kVectors == 2) row.second = add(row.second, multiply_pairs(x, second));
    };
    (add_row(sums[kRow], a + static_cast<int64_t>(kRow) * stride), ...);
  }
  const auto store = [&](const RowSums& row, int32_t* at) HWY_ATTR {
    store_sums(row.first, at);
    if constexpr (kVectors == 2) store_sums(row.second, at + kLanes);
  };
  (store(sums[kRow], to + static_cast<int64_t>(kRow) * to_stride), ...);
}

template <int kVectors>
void multiply_tiles(const int16_t* a, int64_t tiles, int64_t pairs, const char* b, int32_t* to, int64_t to_stride) {
  const int64_t stride = 2 * pairs;
  int64_t t = 0;
  for (; t + kRows <= tiles; t += kRows) {
    multiply<kVectors>(a + t * stride, stride, pairs, b, to + t * to_stride, to_stride,
                       std::make_index_sequence<static_cast<size_t>(kRows)>());
  }
  for (; t + 2 <= tiles; t += 2) {
    multiply<kVectors>(a + t * stride, stride, pairs, b, to + t * to_stride, to_stride, std::make_index_sequence<2>());
  }
  for (; t < tiles; ++t) {
    multiply<kVectors>(a + t * stride, stride, pairs, b, to + t * to_stride, to_stride, std::make_index_sequence<1>());
  }
}

// The products of one line give its results, 24 times too large.
HWY_INLINE void finish_line(const IntVector* HWY_RESTRICT m, IntVector* HWY_RESTRICT to) {
  const auto twice = [](IntVector x) HWY_ATTR { return hn::Add(x, x); };
  const IntVector sum = hn::ShiftLeft<2>(hn::Add(m[1], m[2]));         // taken with the other sign
  const IntVector difference = hn::ShiftLeft<2>(hn::Sub(m[1], m[2]));  // the same
  const IntVector outer_sum = hn::Add(m[3], m[4]);
  const IntVector outer_twice = twice(hn::Sub(m[3], m[4]));
  to[0] = hn::Add(hn::Sub(twice(hn::Add(m[0], twice(m[0]))), sum), outer_sum);
  to[1] = hn::Sub(outer_twice, difference);
  to[2] = hn::Sub(hn::ShiftLeft<2>(outer_sum), sum);
  to[3] = hn::Add(hn::Sub(hn::ShiftLeft<2>(outer_twice), difference), hn::ShiftLeft<3>(hn::Add(m[5], twice(m[5]))));
}

// One vector of channels of a tile as floats: to[row][pixel of adjacent tiles][channel].
HWY_INLINE void transform_outputs(const int32_t* from, int64_t point_stride, float* to) {
  const IntTag d;
  HWY_ALIGN int32_t lines[kSide * kOut * kFloatLanes];
  for (int y = 0; y < kSide; ++y) {
    IntVector m[kSide];
    IntVector v[kOut];
    CORACLE_UNROLL for (int x = 0; x < kSide; ++x) m[x] = hn::LoadU(d, from + (y * kSide + x) * point_stride);
    finish_line(m, v);
    CORACLE_UNROLL for (int x = 0; x < kOut; ++x) hn::Store(v[x], d, lines + (y * kOut + x) * kLanes);
  }
  const IntVector inverse_of_nine = hn::Set(d, 954437177);
  for (int x = 0; x < kOut; ++x) {
    IntVector m[kSide];
    IntVector v[kOut];
    CORACLE_UNROLL for (int y = 0; y < kSide; ++y) m[y] = hn::Load(d, lines + (y * kOut + x) * kLanes);
    finish_line(m, v);
    CORACLE_UNROLL for (int y = 0; y < kOut; ++y) {
      const IntVector result = hn::ShiftRight<6>(hn::Mul(v[y], inverse_of_nine));
      hn::StoreU(hn::ConvertTo(FloatTag(), result), FloatTag(), to + (y * kMostPixels + x) * kLanes);
    }
  }
}

void transform_input(const QuantizedWinogradCall& call, int64_t begin, int64_t end) {
  HWY_ALIGN const int8_t zeros[kNarrowLanes] = {};
  for (int64_t tile = begin; tile < end; ++tile) {
    transform_tile(call, zeros, tile, call.points + (tile - call.first) * call.pairs() * 2);
  }
}

void multiply_panels(const QuantizedWinogradCall& call, int64_t tiles, int64_t begin, int64_t end) {
  const int64_t columns = call.columns(kLanes);
  const int64_t panels = (columns + 2 * kLanes - 1) / (2 * kLanes);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t point = i / panels;
    const int64_t column = i % panels * 2 * kLanes;
    const int16_t* a = call.points + point * call.chunk * call.pairs() * 2;
    const int16_t* panel = call.filter + (point * columns + column) * call.pairs() * 2;
    int32_t* to = call.products + point * call.chunk * columns + column;
    const auto multiply_with = columns - column > kLanes ? multiply_tiles<2> : multiply_tiles<1>;
    multiply_with(a, tiles, call.pairs(), reinterpret_cast<const char*>(panel), to, columns);
  }
}

void transform_output(const QuantizedWinogradCall& call, int64_t begin, int64_t end) {
  QuantizedFinishing finishing;
  quantized_finish.prepare(call.result, finishing);
  const int64_t columns = call.columns(kLanes);
  HWY_ALIGN float results[kOut * kMostPixels * kLanes];
  for (int64_t tile = begin; tile < end;) {
    const TilePlace at = place_of(call, tile);
    const int64_t rows = call.out_h - at.y < kOut ? call.out_h - at.y : kOut;
    const int64_t left = call.out_w - at.x;
    const int64_t wanted = (end - tile) * kOut;
    const int64_t most = wanted < kMostPixels ? wanted : kMostPixels;
    const int64_t width = left < most ? left : most;
    const int64_t together = (width + kOut - 1) / kOut;
    const int64_t pixel = (at.image * call.out_h + at.y) * call.out_w + at.x;
    for (int64_t c = 0; c < call.out_channels; c += kLanes) {
      const int64_t count = call.out_channels - c < kLanes ? call.out_channels - c : kLanes;
      for (int64_t i = 0; i < together; ++i) {
        transform_outputs(call.products + (tile - call.first + i) * columns + c, call.chunk * columns,
                          results + i * kOut * kLanes);
      }
      for (int64_t y = 0; y < rows; ++y) {
        quantized_finish.finish(finishing, {results + y * kMostPixels * kLanes, kFloatLanes, static_cast<size_t>(width),
                                            static_cast<size_t>(count), pixel + y * call.out_w, c});
      }
    }
    tile += together;
  }
}

}  // namespace

const QuantizedWinogradFunctions quantized_winograd = {.lanes = kLanes,
                                                       .tile_rows = kRows,
                                                       .transform_input = transform_input,
                                                       .multiply = multiply_panels,
                                                       .transform_output = transform_output};

}  // namespace coracle::internal::cpu::CORACLE_ISA
