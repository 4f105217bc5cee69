// SPDX-License-Identifier: Apache-2.0
//
// Register tiles of the indirect matrix product: up to kTileRows rows by one panel of columns. Included only by
// gemm.cc.
#pragma once

#include <cstring>
#include <utility>

#include "epilogue.h"
#include "gemm.h"
#include "vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

using V = FloatVector;

constexpr int kPanelVectors = 2;
constexpr int kMaxPanelVectors = 3;
constexpr size_t kPanelColumns = kPanelVectors * kFloatLanes;

// Where eight columns fill half a vector, a panel of 8 or 24 columns is paired: lane 2c + e of its vectors belongs to
// column c and to depth 2i + e, and the two partial sums of a column are added at the end. So all lanes work.
constexpr bool kHavePaired = kFloatLanes == 16;

#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 12, kPairedTripleRows = 9;
#elif HWY_TARGET == HWY_NEON
constexpr int kTileRows = HWY_ARCH_ARM_A64 ? 8 : 6, kPairedTripleRows = 0;  // as there are registers for
#elif HWY_TARGET == HWY_AVX2
constexpr int kTileRows = 6, kPairedTripleRows = 0;
#else
constexpr int kTileRows = 4, kPairedTripleRows = 0;
#endif

// 64-bit ARM multiplies by a lane of a vector: four floats of a row are loaded at once, for four steps of depth.
constexpr bool kMultipliesByLanes = HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64;

struct Panel {
  int vectors;
  bool paired;

  size_t columns() const {
    const size_t lanes = static_cast<size_t>(vectors) * kFloatLanes;
    return paired ? lanes / 2 : lanes;
  }
  int rows() const { return vectors == 3 ? kPairedTripleRows : kTileRows; }
  // Packed floats of one tap.
  int64_t tap_floats(int64_t depth) const {
    return (paired ? (depth + 1) / 2 * 2 : depth) * static_cast<int64_t>(columns());
  }
};

// The panel for `columns` remaining columns (at least 1).
HWY_INLINE Panel panel_for(int64_t columns) {
  constexpr int64_t kLanes = kFloatLanes;
  if (kHavePaired && columns <= kLanes / 2) return {1, true};
  if (columns <= kLanes) return {1, false};
  if (kHavePaired && columns <= kLanes * 3 / 2) return {3, true};
  return {2, false};
}

HWY_INLINE void prefetch(const float* p) { __builtin_prefetch(p, 0, 3); }

struct TileCall {
  const float* const* a;  // [tap][kTileRows]: pointers to depth floats
  int64_t taps;
  int64_t depth;
  const float* b;        // the panel, from the first of these taps and floats on
  const float* ahead;    // what tiles that fetch bring into the level-2 cache meanwhile, 8 floats for each one of depth
  const float* initial;  // per lane of the panel's vectors, where sums start; or null: from `sums`
  float* const* sums;    // one pointer per row, for all lanes: raw accumulators that come from or go to another call
  bool last;             // finish into `c`; otherwise keep raw accumulators in `sums`
  float* const* c;       // one pointer per row
  int64_t c_first;       // floats from there to the panel's
  TileEpilogue epilogue;  // no sums of paired panels take terms
};

// Two floats. Looked up only where panels are paired: not all sets have vectors of double.
template <bool kPaired>
struct Pair {
  using Type = double;
};

template <int kRows, int kVectors, bool kPaired, bool kFetchesAhead>
struct Tile {
  V sum[kRows][kVectors];

  // One step of depth: two for a paired panel.
  template <class Broadcast>
  HWY_INLINE void step(const float* HWY_RESTRICT b, Broadcast broadcast) {
    const FloatTag d;
    V column[kVectors];
    CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) column[j] = hn::LoadU(d, b + j * kFloatLanes);
    CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
      const V a = broadcast(r);
      CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) sum[r][j] = hn::MulAdd(a, column[j], sum[r][j]);
    }
  }

  // All whole fours of steps of depth from k on, which counts up to zero; returns the k behind them.
  HWY_INLINE int64_t multiply_by_lanes([[maybe_unused]] const float* HWY_RESTRICT& b,
                                       [[maybe_unused]] const float* HWY_RESTRICT& ahead,
                                       [[maybe_unused]] const float* const (&row)[kRows], int64_t k) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
    constexpr int64_t kStep = 4 * sizeof(float);
    const FloatTag d;
    int64_t bytes = k * static_cast<int64_t>(sizeof(float));
    for (; bytes + kStep <= 0; bytes += kStep) {
      CORACLE_UNROLL for (size_t j = 0; j < 4 * kVectors * kFloatLanes; j += kLineFloats) prefetch(b + kPrefetch + j);
      if constexpr (kFetchesAhead) {
        __builtin_prefetch(ahead, 0, 2);
        __builtin_prefetch(ahead + kLineFloats, 0, 2);
        ahead += 2 * kLineFloats;
      }
      V a[kRows];
      CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
        a[r] = hn::LoadU(d, reinterpret_cast<const float*>(reinterpret_cast<const char*>(row[r]) + bytes));
      }
      float32x4x4_t columns = load_columns(b);
      if constexpr (kVectors == 2) {
        multiply_lane<0>(columns.val, a);
        multiply_lane<1>(columns.val + 2, a);
        columns = load_columns(b);
        multiply_lane<2>(columns.val, a);
        multiply_lane<3>(columns.val + 2, a);
      } else {
        multiply_lane<0>(columns.val, a);
        multiply_lane<1>(columns.val + 1, a);
        multiply_lane<2>(columns.val + 2, a);
        multiply_lane<3>(columns.val + 3, a);
      }
    }
    return bytes / static_cast<int64_t>(sizeof(float));
#else
    return k;
#endif
  }

#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  static HWY_INLINE float32x4x4_t load_columns(const float* HWY_RESTRICT& b) {
    asm volatile("" ::: "memory");  // else compilers load them too early, for which there are no registers
    const float32x4x4_t columns = vld1q_f32_x4(b);
    b += 4 * kFloatLanes;
    asm("" : "+r"(b));  // in the same instruction
    return columns;
  }
  template <int kLane>
  HWY_INLINE void multiply_lane(const float32x4_t* column, const V (&a)[kRows]) {
    CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
      CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) {
        sum[r][j] = V(vfmaq_laneq_f32(sum[r][j].raw, column[j], a[r].raw, kLane));
      }
    }
  }
#endif

  HWY_INLINE void multiply(const TileCall& call) {
    const FloatTag d;
    const float* HWY_RESTRICT b = call.b;
    const float* HWY_RESTRICT ahead = call.ahead;
    const float* const* a = call.a;
    for (int64_t tap = 0; tap < call.taps; ++tap, a += kTileRows) {
      const float* row[kRows];
      CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
        row[r] = a[r];
        asm("" : "+r"(row[r]));  // else they are loaded into vectors, stored, and loaded again
      }
      if constexpr (kPaired) {
        const hn::Repartition<typename Pair<kPaired>::Type, FloatTag> pairs;
        int64_t k = 0;
        for (; k + 2 <= call.depth; k += 2, b += kVectors * kFloatLanes) {
          prefetch(b + kPrefetch);
          step(b, [&](int r) HWY_ATTR {
            double pair;
            memcpy(&pair, row[r] + k, sizeof(pair));
            return hn::BitCast(d, hn::Set(pairs, pair));
          });
        }
        if (k < call.depth) {
          // The missing partner is a zero on both sides.
          step(b, [&](int r) HWY_ATTR {
            const float pair[2] = {row[r][k], 0.0f};
            double both;
            memcpy(&both, pair, sizeof(both));
            return hn::BitCast(d, hn::Set(pairs, both));
          });
          b += kVectors * kFloatLanes;
        }
      } else {
        // Counts up to zero: one register less, which the compiler must not see through.
        CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
          row[r] += call.depth;
          asm("" : "+r"(row[r]));
        }
        int64_t k = -call.depth;
        if constexpr (kMultipliesByLanes) {
          k = multiply_by_lanes(b, ahead, row, k);
        } else if constexpr (kFetchesAhead) {
          for (; k + 2 <= 0; k += 2, b += 2 * kVectors * kFloatLanes, ahead += kLineFloats) {
            CORACLE_UNROLL for (size_t j = 0; j < 2 * kVectors * kFloatLanes; j += kLineFloats) {
              prefetch(b + kPrefetch + j);
            }
            __builtin_prefetch(ahead, 0, 2);
            step(b, [&](int r) HWY_ATTR { return hn::Set(d, row[r][k]); });
            // Else compilers read the second step's floats too early, for which there are no registers.
            asm volatile("" ::: "memory");
            step(b + kVectors * kFloatLanes, [&](int r) HWY_ATTR { return hn::Set(d, row[r][k + 1]); });
          }
        }
        for (; k != 0; ++k, b += kVectors * kFloatLanes) {
          CORACLE_UNROLL for (size_t j = 0; j < kVectors * kFloatLanes; j += kLineFloats) prefetch(b + kPrefetch + j);
          step(b, [&](int r) HWY_ATTR { return hn::Set(d, row[r][k]); });
        }
      }
    }
  }

  static constexpr int64_t kPrefetch = 512;  // floats
  static constexpr size_t kLineFloats = 16;  // of a line of the cache

  HWY_INLINE void start(const TileCall& call) {
    const FloatTag d;
    CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
      CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) {
        if (call.initial == nullptr) {
          sum[r][j] = hn::LoadU(d, call.sums[r] + j * kFloatLanes);
        } else {
          sum[r][j] = hn::LoadU(d, call.initial + j * kFloatLanes);
        }
      }
    }
  }

  HWY_INLINE void keep(const TileCall& call) const {
    const FloatTag d;
    CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
      CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) { hn::StoreU(sum[r][j], d, call.sums[r] + j * kFloatLanes); }
    }
  }

  HWY_INLINE void apply_epilogue(const TileCall& call) const {
    with_tile_epilogue<!kPaired>(call.epilogue, [&](auto f) HWY_ATTR { store(call, f); });
  }

  template <class F>
  HWY_INLINE void store(const TileCall& call, F f) const {
    const FloatTag d;
    if constexpr (kPaired && kVectors == 1) {
      // Two rows at a time fill a vector. Stored in the order of the rows, as their ends may overlap.
      CORACLE_UNROLL for (int r = 0; r < kRows; r += 2) {
        const hn::Half<FloatTag> half;
        const V first = sum[r][0];
        const V second = sum[r + 1 < kRows ? r + 1 : r][0];
        const V both = hn::Add(hn::ConcatEven(d, second, first), hn::ConcatOdd(d, second, first));
        const V result = f(both, nullptr);
        hn::StoreU(hn::LowerHalf(half, result), half, call.c[r] + call.c_first);
        if (r + 1 < kRows) hn::StoreU(hn::UpperHalf(half, result), half, call.c[r + 1] + call.c_first);
      }
      return;
    }
    CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
      float* c = call.c[r] + call.c_first;
      if constexpr (kPaired) {
        const hn::Half<FloatTag> half;
        const V both = hn::Add(hn::ConcatEven(d, sum[r][1], sum[r][0]), hn::ConcatOdd(d, sum[r][1], sum[r][0]));
        hn::StoreU(f(both, nullptr), d, c);
        const V rest = sum[r][kVectors - 1];
        const V last = hn::Add(hn::ConcatEven(d, rest, rest), hn::ConcatOdd(d, rest, rest));
        hn::StoreU(hn::LowerHalf(half, f(last, nullptr)), half, c + kFloatLanes);
      } else {
        CORACLE_UNROLL for (int j = 0; j < kVectors; ++j) {
          hn::StoreU(f(sum[r][j], c + j * kFloatLanes), d, c + j * kFloatLanes);
        }
      }
    }
  }
};

template <int kRows, int kVectors, bool kPaired, bool kFetchesAhead>
void run_tile(const TileCall& call) {
  Tile<kRows, kVectors, kPaired, kFetchesAhead> tile;
  tile.start(call);
  tile.multiply(call);
  if (call.last) {
    tile.apply_epilogue(call);
  } else {
    tile.keep(call);
  }
}

using TileFunction = void (*)(const TileCall&);

template <int kVectors, bool kPaired, bool kFetchesAhead, class Rows>
struct Tiles;
template <int kVectors, bool kPaired, bool kFetchesAhead, int... kRows>
struct Tiles<kVectors, kPaired, kFetchesAhead, std::integer_sequence<int, kRows...>> {
  static constexpr TileFunction kByRows[] = {run_tile<kRows + 1, kVectors, kPaired, kFetchesAhead>...};  // from 1 on
};

template <int kVectors, bool kPaired, bool kFetchesAhead = false>
HWY_INLINE TileFunction tile_function(int rows) {
  constexpr int kLimit = kVectors == 3 ? kPairedTripleRows : kTileRows;
  return Tiles<kVectors, kPaired, kFetchesAhead, std::make_integer_sequence<int, kLimit>>::kByRows[rows - 1];
}

// Full panels may come with others to fetch.
HWY_INLINE TileFunction find_tile(Panel panel, int rows, bool fetches_ahead) {
  if constexpr (kHavePaired) {
    if (panel.paired) return panel.vectors == 3 ? tile_function<3, true>(rows) : tile_function<1, true>(rows);
  }
  if (panel.vectors == 1) return tile_function<1, false>(rows);
  return fetches_ahead ? tile_function<2, false, true>(rows) : tile_function<2, false>(rows);
}

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
