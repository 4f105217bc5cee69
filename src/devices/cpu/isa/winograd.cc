// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/winograd.h"

#include "epilogue.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

constexpr int64_t kLanes = kFloatLanes;

// Whether output channels may end within a vector. Where input channels do, the last vector takes some once more.
template <int kOutputs>
constexpr bool kHasTails = kOutputs != 3;

// Keeps compilers from unrolling a loop of so many turns: long bodies gain nothing by it.
HWY_INLINE int looped(int turns) {
  asm("" : "+r"(turns));
  return turns;
}

struct TilePlace {
  int64_t image, y, x;  // of the first output pixel
};

// Of tiles in so many rows and columns.
template <int kOutputs>
HWY_INLINE TilePlace place_of(int64_t tile, int64_t tiles_h, int64_t tiles_w) {
  const int64_t row = tile / tiles_w;
  return {row / tiles_h, row % tiles_h * kOutputs, tile % tiles_w * kOutputs};
}

template <bool kPartial>
HWY_INLINE V load_channels(const float* p, size_t count) {
  const FloatTag d;
  if constexpr (kPartial) {
    return load_partial(d, p, count);
  } else {
    return hn::LoadU(d, p);
  }
}

template <bool kPartial>
HWY_INLINE void store_channels(V v, float* p, size_t count) {
  const FloatTag d;
  if constexpr (kPartial) {
    store_partial(d, v, p, count);
  } else {
    hn::StoreU(v, d, p);
  }
}

// One line of a tile's inputs, or of what became of them.
template <int kOutputs>
HWY_INLINE void transform_line(V* HWY_RESTRICT v) {
  const FloatTag d;
  if constexpr (kOutputs == 2) {
    const V first = hn::Sub(v[0], v[2]);
    const V sum = hn::Add(v[1], v[2]);
    const V difference = hn::Sub(v[2], v[1]);
    v[3] = hn::Sub(v[1], v[3]);
    v[0] = first;
    v[1] = sum;
    v[2] = difference;
  } else if constexpr (kOutputs == 3) {
    const V two = set(d, 2.0), three = set(d, 3.0);
    const V difference = hn::Sub(v[3], v[1]);
    const V first = hn::MulAdd(two, hn::Sub(v[0], v[2]), difference);
    const V last = hn::NegMulAdd(two, difference, hn::Sub(v[4], v[2]));
    const V sum = hn::NegMulAdd(two, v[1], hn::Sub(v[3], v[2]));     // v3 - v2 - 2 v1
    v[2] = hn::MulAdd(two, v[1], hn::NegMulAdd(three, v[2], v[3]));  // v3 - 3 v2 + 2 v1
    v[0] = first;
    v[1] = sum;
    v[3] = difference;
    v[4] = last;
  } else {
    const V two = set(d, 2.0), four = set(d, 4.0), five = set(d, 5.0);
    const V even = hn::NegMulAdd(four, v[2], v[4]);  // v4 - 4 v2
    const V odd = hn::NegMulAdd(four, v[1], v[3]);   // v3 - 4 v1
    const V even_half = hn::Sub(v[4], v[2]);
    const V odd_twice = hn::Mul(two, hn::Sub(v[3], v[1]));
    const V first = hn::MulAdd(four, v[0], hn::NegMulAdd(five, v[2], v[4]));
    const V last = hn::MulAdd(four, v[1], hn::NegMulAdd(five, v[3], v[5]));
    v[0] = first;
    v[1] = hn::Add(even, odd);
    v[2] = hn::Sub(even, odd);
    v[3] = hn::Add(even_half, odd_twice);
    v[4] = hn::Sub(even_half, odd_twice);
    v[5] = last;
  }
}

template <int kOutputs>
HWY_INLINE void transform_inputs(const float* const* pixels, int64_t channel, int64_t point_stride, float* to) {
  constexpr int kInputs = kOutputs + 2;
  const FloatTag d;
  HWY_ALIGN float lines[kInputs * kInputs * kFloatLanes];
  for (int y = 0; y < looped(kInputs); ++y) {
    V v[kInputs];
    CORACLE_UNROLL for (int x = 0; x < kInputs; ++x) { v[x] = hn::LoadU(d, pixels[y * kInputs + x] + channel); }
    transform_line<kOutputs>(v);
    CORACLE_UNROLL for (int x = 0; x < kInputs; ++x) hn::Store(v[x], d, lines + (y * kInputs + x) * kLanes);
  }
  for (int x = 0; x < looped(kInputs); ++x) {
    V v[kInputs];
    CORACLE_UNROLL for (int y = 0; y < kInputs; ++y) v[y] = hn::Load(d, lines + (y * kInputs + x) * kLanes);
    transform_line<kOutputs>(v);
    CORACLE_UNROLL for (int y = 0; y < kInputs; ++y) {
      hn::StoreU(v[y], d, to + (y * kInputs + x) * point_stride + channel);
    }
  }
}

// Brings nearer what the next tile to the right reads besides its neighbours' pixels: of each row a share for each
// vector of channels. `next` is its first pixel of the upper row. The processor does not see the many short streams by
// itself.
constexpr bool kFetchesNext = HWY_TARGET == HWY_AVX2;

template <int kOutputs>
HWY_INLINE void fetch_next(const float* next, int64_t row, int64_t channel) {
  constexpr int64_t kLineFloats = 16;
  next += channel * kOutputs;
  CORACLE_UNROLL for (int y = 0; y < kOutputs + 2; ++y, next += row) {
    for (int64_t i = 0; i < kOutputs * kLanes; i += kLineFloats) __builtin_prefetch(next + i, 0, 3);
  }
}

template <int kOutputs>
HWY_INLINE void transform_input_tiles(const WinogradCall& call, int64_t begin, int64_t end, float* a) {
  constexpr int kInputs = kOutputs + 2;
  constexpr int kPoints = kInputs * kInputs;
  const int64_t row = call.in_w * call.in_stride;
  const int64_t tiles_h = call.input_tiles_h();
  const int64_t tiles_w = call.input_tiles_w();
  for (int64_t tile = begin; tile < end; ++tile, a += call.in_channels) {
    const TilePlace at = place_of<kOutputs>(tile, tiles_h, tiles_w);
    const float* image = call.input + at.image * call.in_h * row;
    const float* pixels[kPoints];
    for (int i = 0; i < looped(kPoints); ++i) {
      const int64_t y = at.y - call.pad_top + i / kInputs;
      const int64_t x = at.x - call.pad_left + i % kInputs;
      const bool inside = y >= 0 && y < call.in_h && x >= 0 && x < call.in_w;
      pixels[i] = inside ? image + y * row + x * call.in_stride : call.zeros;
    }
    // Also where the tile lies at the image's border: fetching never fails.
    const float* next = image + (at.y - call.pad_top) * row + (at.x - call.pad_left + kInputs) * call.in_stride;
    int64_t channel = 0;
    for (; channel + kLanes <= call.in_channels; channel += kLanes) {
      if constexpr (kFetchesNext) fetch_next<kOutputs>(next, row, channel);
      transform_inputs<kOutputs>(pixels, channel, call.in_point_stride, a);
    }
    if (channel < call.in_channels)
      transform_inputs<kOutputs>(pixels, call.in_channels - kLanes, call.in_point_stride, a);
  }
}

void transform_input(const WinogradCall& call, int64_t begin, int64_t end, float* a) {
  if (call.tile == 2) return transform_input_tiles<2>(call, begin, end, a);
  if (call.tile == 3) return transform_input_tiles<3>(call, begin, end, a);
  transform_input_tiles<4>(call, begin, end, a);
}

// A tile's output pixels in rows, those that are cut off behind the others.
template <int kOutputs>
struct OutputTile {
  int64_t place[kOutputs * kOutputs];  // of each pixel
  int64_t kept[kOutputs * kOutputs];   // those that are not cut off: pixels of the output
  size_t kept_count;
};

// The products of one line give its results.
template <int kOutputs>
HWY_INLINE void finish_line(const V* HWY_RESTRICT m, V* HWY_RESTRICT to) {
  const FloatTag d;
  if constexpr (kOutputs == 2) {
    to[0] = hn::Add(m[0], hn::Add(m[1], m[2]));
    to[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
  } else if constexpr (kOutputs == 3) {
    const V two = set(d, 2.0), four = set(d, 4.0);
    const V sum = hn::Add(m[1], m[2]);
    to[0] = hn::Add(hn::Add(m[0], sum), m[3]);
    to[1] = hn::MulAdd(two, m[3], hn::Sub(m[1], m[2]));
    to[2] = hn::Add(hn::MulAdd(four, m[3], sum), m[4]);
  } else {
    const V two = set(d, 2.0), four = set(d, 4.0), eight = set(d, 8.0);
    const V sum = hn::Add(m[1], m[2]);
    const V difference = hn::Sub(m[1], m[2]);
    const V outer_sum = hn::Add(m[3], m[4]);
    const V outer_difference = hn::Sub(m[3], m[4]);
    to[0] = hn::Add(hn::Add(m[0], sum), outer_sum);
    to[1] = hn::MulAdd(two, outer_difference, difference);
    to[2] = hn::MulAdd(four, outer_sum, sum);
    to[3] = hn::Add(hn::MulAdd(eight, outer_difference, difference), m[5]);
  }
}

template <int kOutputs, bool kPartial>
HWY_INLINE void transform_outputs(const WinogradCall& call, const Chain& chain, const OutputTile<kOutputs>& tile,
                                  const float* from, int64_t channel, size_t count) {
  constexpr int kInputs = kOutputs + 2;
  const FloatTag d;
  HWY_ALIGN float lines[kInputs * kOutputs * kFloatLanes];
  for (int y = 0; y < looped(kInputs); ++y) {
    V m[kInputs];
    V v[kOutputs];
    CORACLE_UNROLL for (int x = 0; x < kInputs; ++x) {
      m[x] = load_channels<kPartial>(from + (y * kInputs + x) * call.out_point_stride + channel, count);
    }
    finish_line<kOutputs>(m, v);
    CORACLE_UNROLL for (int x = 0; x < kOutputs; ++x) hn::Store(v[x], d, lines + (y * kOutputs + x) * kLanes);
  }
  HWY_ALIGN float results[kOutputs * kOutputs * kFloatLanes];
  const V bias = chain.bias == nullptr ? hn::Zero(d) : load_channels<kPartial>(chain.bias + channel, count);
  for (int x = 0; x < looped(kOutputs); ++x) {
    V m[kInputs];
    V v[kOutputs];
    CORACLE_UNROLL for (int y = 0; y < kInputs; ++y) m[y] = hn::Load(d, lines + (y * kOutputs + x) * kLanes);
    finish_line<kOutputs>(m, v);
    CORACLE_UNROLL for (int y = 0; y < kOutputs; ++y) {
      hn::Store(hn::Add(v[y], bias), d, results + tile.place[y * kOutputs + x] * kLanes);
    }
  }
  if (!chain.in_tile) {
    apply_epilogue(chain.ops, chain.count, results, kFloatLanes, tile.kept_count, kPartial ? count : kFloatLanes,
                   {call.output, call.out_stride, tile.kept, static_cast<size_t>(channel)});
    return;
  }
  const float* from_row = results;
  const int64_t* pixel = tile.kept;
  asm("" : "+r"(from_row), "+r"(pixel));  // else loops over as many as a tile has at most are unrolled
  with_tile_epilogue<false>(chain.tile, [&](auto f) HWY_ATTR {
    for (size_t i = 0; i < tile.kept_count; ++i, ++pixel, from_row += kLanes) {
      const V result = f(hn::Load(d, from_row), nullptr);
      store_channels<kPartial>(result, call.output + *pixel * call.out_stride + channel, count);
    }
  });
}

template <int kOutputs>
HWY_INLINE void transform_output_tiles(const WinogradCall& call, int64_t begin, int64_t end, const float* c) {
  const Chain chain = split_epilogue(call.epilogue, call.epilogue_size);
  const int64_t tiles_h = call.tiles_h();
  const int64_t tiles_w = call.tiles_w();
  for (int64_t t = begin; t < end; ++t, c += call.out_channels) {
    const TilePlace at = place_of<kOutputs>(t, tiles_h, tiles_w);
    OutputTile<kOutputs> tile;
    tile.kept_count = 0;
    for (int i = 0; i < looped(kOutputs * kOutputs); ++i) {
      const int64_t y = at.y + i / kOutputs;
      const int64_t x = at.x + i % kOutputs;
      const bool inside = y < call.out_h && x < call.out_w;
      const auto kept = static_cast<int64_t>(tile.kept_count);
      tile.place[i] = inside ? kept : kOutputs * kOutputs - 1 - (i - kept);
      if (inside) tile.kept[tile.kept_count++] = (at.image * call.out_h + y) * call.out_w + x;
    }
    int64_t channel = 0;
    for (; channel + kLanes <= call.out_channels; channel += kLanes) {
      transform_outputs<kOutputs, false>(call, chain, tile, c, channel, 0);
    }
    if constexpr (kHasTails<kOutputs>) {
      if (channel == call.out_channels) continue;
      transform_outputs<kOutputs, true>(call, chain, tile, c, channel,
                                        static_cast<size_t>(call.out_channels - channel));
    }
  }
}

void transform_output(const WinogradCall& call, int64_t begin, int64_t end, const float* c) {
  if (call.tile == 2) return transform_output_tiles<2>(call, begin, end, c);
  if (call.tile == 3) return transform_output_tiles<3>(call, begin, end, c);
  transform_output_tiles<4>(call, begin, end, c);
}

constexpr double kFilterTransform2[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
constexpr double kFilterTransform3[5][3] = {
    {0.5, 0, 0}, {-0.5, -0.5, -0.5}, {-1.0 / 6, 1.0 / 6, -1.0 / 6}, {1.0 / 6, 1.0 / 3, 2.0 / 3}, {0, 0, 1}};
constexpr double kFilterTransform4[6][3] = {{1.0 / 4, 0, 0},
                                            {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                            {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                            {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                            {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                            {0, 0, 1}};
constexpr int kFiltersTogether = 32;

// G f G^T for the filter f of each pair of channels; some pairs side by side, so that the compiler's vectors hold
// pairs.
void transform_filter(int64_t tile, const float* filter, int64_t pairs, int64_t point_stride, float* to) {
  const int64_t inputs = tile + 2;
  const double(*const g)[3] = tile == 2 ? kFilterTransform2 : tile == 3 ? kFilterTransform3 : kFilterTransform4;
  double f[9][kFiltersTogether] = {};
  double half[3][kFiltersTogether];
  for (int64_t first = 0; first < pairs; first += kFiltersTogether) {
    const int64_t count = pairs - first < kFiltersTogether ? pairs - first : kFiltersTogether;
    const float* from = filter + 9 * first;
    for (int64_t i = 0; i < count; ++i) {
      for (int t = 0; t < 9; ++t) f[t][i] = static_cast<double>(from[9 * i + t]);
    }
    for (int64_t p = 0; p < inputs; ++p) {
      for (int x = 0; x < 3; ++x) {
        for (int i = 0; i < kFiltersTogether; ++i) {
          half[x][i] = g[p][0] * f[x][i] + g[p][1] * f[3 + x][i] + g[p][2] * f[6 + x][i];
        }
      }
      for (int64_t q = 0; q < inputs; ++q) {
        float* line = to + (p * inputs + q) * point_stride + first;
        float values[kFiltersTogether];
        float* const put = count == kFiltersTogether ? line : values;
        for (int i = 0; i < kFiltersTogether; ++i) {
          put[i] = static_cast<float>(half[0][i] * g[q][0] + half[1][i] * g[q][1] + half[2][i] * g[q][2]);
        }
        for (int64_t i = 0; put == values && i < count; ++i) line[i] = values[i];
      }
    }
  }
}

}  // namespace

extern const WinogradFunctions winograd;
const WinogradFunctions winograd = {transform_input, transform_output, transform_filter};

}  // namespace coracle::internal::cpu::CORACLE_ISA
