// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/tile_gemm.h"

#include <utility>

#include "bf16_parts.h"
#include "epilogue.h"
#include "gemm_rows.h"
#include "matrix_tiles.h"
// What is compiled for AVX-512 alone can multiply pairs in vectors, too.
#if defined(__AVX512F__) && !defined(__AMX_BF16__)
#include "bf16_dots.h"
#define CORACLE_BF16_DOTS 1
#elif defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && HWY_TARGET == HWY_NEON
#include "bf16_pairs.h"
#define CORACLE_BF16_DOTS 1
#else
#define CORACLE_BF16_DOTS 0
#endif

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr int kBlockRows = 2 * kTileSide;     // rows that are computed together
constexpr int kBlockColumns = 2 * kTileSide;  // columns of a panel

// Which parts are multiplied, one pair after the other; neighbours have a part in common, so that each needs one load.
// Where float32's accuracy is wanted the largest products come last.
struct PartPair {
  int a, b;
};
struct X6 {
  [[maybe_unused]] static constexpr int kParts = 3;
  [[maybe_unused]] static constexpr PartPair kPairs[] = {{2, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 0}};
};
struct X3 {
  [[maybe_unused]] static constexpr int kParts = 2;
  [[maybe_unused]] static constexpr PartPair kPairs[] = {{1, 0}, {0, 0}, {0, 1}};
};
struct Bf16 {
  static constexpr int kParts = 1;
  static constexpr PartPair kPairs[] = {{0, 0}};
};

int64_t panels(int64_t columns) { return (columns + kBlockColumns - 1) / kBlockColumns; }
int64_t tile_rows(int64_t) { return kBlockRows; }
int64_t steps_of(const GemmShape& shape) { return (shape.taps * shape.depth + kTileDepth - 1) / kTileDepth; }

// Once for all schemes: the chain is long.
HWY_NOINLINE void store_block(const GemmCall& call, const float* sums, int rows, size_t columns,
                              const EpilogueTarget& to) {
  apply_epilogue(call.epilogue, call.epilogue_size, sums, kBlockColumns, static_cast<size_t>(rows), columns, to);
}

// On tiles or, with kDots, by products of pairs in vectors.
template <class Scheme, bool kDots = false>
struct TileGemm {
  static constexpr int kParts = Scheme::kParts;
  // bfloat16 numbers of one step of a block of rows or of a panel: [part][half][16 rows][32], as tiles have them.
  static constexpr int64_t kStepNumbers = int64_t{kParts} * 2 * kTileNumbers;
  // Steps after which sums are set aside, so that a panel's part and the rows' part are 48 KiB each; of so many panels
  // parts stay in a level-2 cache of 2 MiB while rows go by.
  static constexpr int64_t kBlockSteps = 24 / kParts;
  static constexpr int64_t kBlockPanels = 24;
  // Whether rows are kept as multiply_by_dots() of NEON takes them: four numbers of each of eight, then the next four.
  static constexpr bool kPairsRows = kDots && HWY_TARGET == HWY_NEON;

  // Where number `k` of a row of a step lies, in a half of a block.
  static constexpr int64_t place(int64_t row, int64_t k) {
    if constexpr (kPairsRows) return row / 8 * 8 * kTileDepth + (k / 4 * 8 + row % 8) * 4 + k % 4;
    return row * kTileDepth + k;
  }

  static int64_t panel_numbers(const GemmShape& shape) { return steps_of(shape) * kStepNumbers; }
  static int64_t packed_floats(const GemmShape& shape) { return panels(shape.columns) * panel_numbers(shape) / 2; }
  static bool sums_wait_in_c(const GemmCall& call) { return steps_of(call.shape) > kBlockSteps; }

  // ---- packing

  // 32 steps of depth of up to 32 columns, as rows of floats; zeros behind the last of either.
  static void read_lines(const GemmShape& shape, const GemmSource& source, int64_t step, int64_t first, int64_t columns,
                         float (&lines)[kTileDepth][kBlockColumns]) {
    const int64_t inner = source.inner > 0 ? source.inner : 1;
    const int64_t begin = step * kTileDepth;
    const int64_t left = shape.taps * shape.depth - begin;
    const int64_t end = left < kTileDepth ? left : kTileDepth;
    memset(lines, 0, sizeof(lines));
    const float* rows[kTileDepth];
    for (int64_t k = 0; k < end; ++k) {
      const int64_t tap = (begin + k) / shape.depth;
      const int64_t d = (begin + k) % shape.depth;
      const int64_t offset = source.tap_offsets == nullptr ? 0 : source.tap_offsets[tap];
      rows[k] = source.data + offset + d / inner * source.join_stride + d % inner * source.inner_stride +
                first * source.column_stride;
    }
    if (source.column_stride == 1) {
      for (int64_t k = 0; k < end; ++k) memcpy(lines[k], rows[k], static_cast<size_t>(columns) * sizeof(float));
      return;
    }
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t k = 0; k < end; ++k) lines[k][c] = rows[k][c * source.column_stride];
    }
  }

  static void pack(const GemmShape& shape, const GemmSource& source, float* packed, int64_t panel_begin,
                   int64_t panel_end) {
    constexpr int64_t kLanes = kFloatLanes;
    const FloatTag d;
    const BitsTag db;
    const FloatVector scale = hn::Set(d, source.scale);
    HWY_ALIGN float lines[kTileDepth][kBlockColumns];
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      uint16_t* to = reinterpret_cast<uint16_t*>(packed) + p * panel_numbers(shape);
      const int64_t left = shape.columns - p * kBlockColumns;
      for (int64_t s = 0; s < steps_of(shape); ++s, to += kStepNumbers) {
        read_lines(shape, source, s, p * kBlockColumns, left < kBlockColumns ? left : kBlockColumns, lines);
        for (int64_t k = 0; k < kTileDepth; k += 2) {
          for (int64_t c = 0; c < kBlockColumns; c += kLanes) {
            BitsVector even[kParts];
            BitsVector odd[kParts];
            split_into_parts(hn::Mul(hn::Load(d, lines[k] + c), scale), even);
            split_into_parts(hn::Mul(hn::Load(d, lines[k + 1] + c), scale), odd);
            uint16_t* lane = to + c / kTileSide * kTileNumbers + k * kTileSide + c % kTileSide * 2;
            for (int part = 0; part < kParts; ++part) {
              const BitsVector both = hn::Or(hn::ShiftRight<16>(even[part]), odd[part]);
              hn::StoreU(both, db, reinterpret_cast<uint32_t*>(lane + part * 2 * kTileNumbers));
            }
          }
        }
      }
    }
  }

  // ---- products

#if CORACLE_BF16_DOTS
  // Part of the sums of `rows` rows, and of those that fill up tiles, by a panel.
  template <int kHalves>
  static HWY_INLINE void dots(int rows, const uint16_t* a, const uint16_t* b, int64_t steps, const float* start,
                              float* sums) {
    for (int r = 0; r < rows; r += 8) {
      multiply_by_dots<kHalves>(a + r * kTileDepth, b, steps, kStepNumbers, start + r * kBlockColumns,
                                sums + r * kBlockColumns);
    }
  }
#endif

  // One part of the sums of a block of rows by a panel: `steps` steps from `a` and `b` on, added to `start`.
  template <int kRowTiles, int kColumnTiles>
  static HWY_INLINE void multiply(MatrixTiles& tiles, const uint16_t* a, const uint16_t* b, int64_t steps,
                                  const float* start, float* sums) {
    constexpr int64_t kStride = kBlockColumns * sizeof(float);
    constexpr int64_t kBelow = int64_t{kTileSide} * kBlockColumns;
    tiles.template load<0>(start, kStride);
    if constexpr (kColumnTiles == 2) tiles.template load<1>(start + kTileSide, kStride);
    if constexpr (kRowTiles == 2) tiles.template load<2>(start + kBelow, kStride);
    if constexpr (kRowTiles == 2 && kColumnTiles == 2) tiles.template load<3>(start + kBelow + kTileSide, kStride);
    for (int64_t s = 0; s < steps; ++s, a += kStepNumbers, b += kStepNumbers) {
      multiply_pairs<kRowTiles, kColumnTiles>(tiles, a, b, std::make_index_sequence<std::size(Scheme::kPairs)>());
    }
    tiles.template store<0>(sums, kStride);
    if constexpr (kColumnTiles == 2) tiles.template store<1>(sums + kTileSide, kStride);
    if constexpr (kRowTiles == 2) tiles.template store<2>(sums + kBelow, kStride);
    if constexpr (kRowTiles == 2 && kColumnTiles == 2) tiles.template store<3>(sums + kBelow + kTileSide, kStride);
  }

  template <int kRowTiles, int kColumnTiles, size_t... kIndex>
  static HWY_INLINE void multiply_pairs(MatrixTiles& tiles, const uint16_t* a, const uint16_t* b,
                                        std::index_sequence<kIndex...>) {
    (multiply_pair<kRowTiles, kColumnTiles, kIndex>(tiles, a, b), ...);
  }

  // Tiles 0 to 3 are sums, 4 and 5 rows, 6 and 7 columns.
  template <int kRowTiles, int kColumnTiles, size_t kIndex>
  static HWY_INLINE void multiply_pair(MatrixTiles& tiles, const uint16_t* a, const uint16_t* b) {
    constexpr const auto& kPairs = Scheme::kPairs;
    constexpr PartPair kPair = kPairs[kIndex];
    if constexpr (kIndex == 0 || kPairs[kIndex - 1].a != kPair.a) {
      tiles.template load<4>(a + kPair.a * 2 * kTileNumbers);
      if constexpr (kRowTiles == 2) tiles.template load<5>(a + (kPair.a * 2 + 1) * kTileNumbers);
    }
    if constexpr (kIndex == 0 || kPairs[kIndex - 1].b != kPair.b) {
      tiles.template load<6>(b + kPair.b * 2 * kTileNumbers);
      if constexpr (kColumnTiles == 2) tiles.template load<7>(b + (kPair.b * 2 + 1) * kTileNumbers);
    }
    tiles.template multiply<0, 4, 6>();
    if constexpr (kColumnTiles == 2) tiles.template multiply<1, 4, 7>();
    if constexpr (kRowTiles == 2) tiles.template multiply<2, 5, 6>();
    if constexpr (kRowTiles == 2 && kColumnTiles == 2) tiles.template multiply<3, 5, 7>();
  }

  // The number whose parts are `stride` apart.
  static float joined(const uint16_t* part, int64_t stride) {
    float sum = 0;
    for (int p = kParts - 1; p >= 0; --p) {
      const uint32_t bits = uint32_t{part[p * stride]} << 16U;
      float value;
      memcpy(&value, &bits, sizeof(value));
      sum += value;
    }
    return sum;
  }

  // The same sums by multiply-adds, for those of `row` that are no numbers: start + a * b.
  static HWY_NOINLINE void repair(const uint16_t* a, const uint16_t* b, int64_t steps, int row, const float* start,
                                  float* sums) {
    float again[kBlockColumns];
    memcpy(again, start, sizeof(again));
    a += row / kTileSide * kTileNumbers;
    for (int64_t s = 0; s < steps; ++s, a += kStepNumbers, b += kStepNumbers) {
      for (int k = 0; k < kTileDepth; ++k) {
        const float left = joined(a + place(row % kTileSide, k), 2 * kTileNumbers);
        for (int c = 0; c < kBlockColumns; ++c) {
          const uint16_t* right = b + c / kTileSide * kTileNumbers + k / 2 * kTileDepth + c % kTileSide * 2 + k % 2;
          again[c] += left * joined(right, 2 * kTileNumbers);
        }
      }
    }
    for (int c = 0; c < kBlockColumns; ++c) {
      if (!__builtin_isfinite(sums[c])) sums[c] = again[c];
    }
  }

  static bool all_numbers(const float* row) {
    const BitsTag d;
    const BitsVector exponent = hn::Set(d, 0x7f800000);
    BitsVector largest = hn::Zero(d);
    for (size_t c = 0; c < kBlockColumns; c += kFloatLanes) {
      largest = hn::Max(largest, hn::And(hn::BitCast(d, hn::LoadU(FloatTag(), row + c)), exponent));
    }
    return hn::AllFalse(d, hn::Eq(largest, exponent));
  }

  // ---- one call on one thread

  class Run {
   public:
    explicit Run(const GemmCall& call)
        : call_(call), steps_(steps_of(call.shape)), group_floats_(packed_floats(call.shape)) {
      if (call.image != nullptr) bounds_ = tap_bounds(*call.image, call.shape.taps);
    }

    // Panels [panel_begin, panel_end) of a group, part by part of the sums.
    void run(int64_t row_begin, int64_t row_end, int64_t group, int64_t panel_begin, int64_t panel_end) {
      int64_t step = 0;
      do {
        const int64_t last = steps_ - step > kBlockSteps ? step + kBlockSteps : steps_;
        rows_.begin(call_, row_begin);
        for (int64_t row = row_begin; row < row_end; row += kBlockRows) {
          count_ = static_cast<int>(row_end - row < kBlockRows ? row_end - row : kBlockRows);
          read_rows(group, step, last);
          for (int64_t p = panel_begin; p < panel_end; ++p) panel(group, p, step, last);
        }
        step = last;
      } while (step < steps_);
    }

   private:
    // Splits steps [begin, end) of the next rows.
    void read_rows(int64_t group, int64_t begin, int64_t end) {
      const GemmShape& shape = call_.shape;
      const int64_t depth_begin = begin * kTileDepth;
      const int64_t all = shape.taps * shape.depth;
      const int64_t depth_end = end * kTileDepth < all ? end * kTileDepth : all;
      for (int first = 0; first < count_; first += kTileRows) {
        const int rows = count_ - first < kTileRows ? count_ - first : kTileRows;
        rows_.locate(call_, bounds_, rows);
        for (int r = 0; r < rows; ++r) pixels_[first + r] = rows_.pixels()[r];
        for (int64_t k = depth_begin; k < depth_end;) {
          const int64_t tap = k / shape.depth;
          const int64_t last_tap = (depth_end - 1) / shape.depth + 1;
          const int64_t taps = last_tap - tap < kTapChunk ? last_tap - tap : kTapChunk;
          rows_.point(call_, tap, taps, group * call_.a_group_stride);
          for (int64_t t = tap; t < tap + taps; ++t) {
            const int64_t next = (t + 1) * shape.depth < depth_end ? (t + 1) * shape.depth : depth_end;
            for (int r = 0; r < rows; ++r) {
              const float* from = rows_.pointers()[(t - tap) * kTileRows + r] + (k - t * shape.depth);
              split_row(from, first + r, k - depth_begin, next - depth_begin);
            }
            k = next;
          }
        }
      }
      // Zeros behind the last of the depth, and in rows that fill up a tile.
      const int64_t padded = (end - begin) * kTileDepth;
      for (int r = 0; r < count_; ++r) clear_row(r, depth_end - depth_begin, padded);
      for (int r = count_; r % kTileSide != 0; ++r) clear_row(r, 0, padded);
    }

    // Floats [k, end) of a row of the block, counted from its first step.
    void split_row(const float* from, int row, int64_t k, int64_t end) {
      const FloatTag d;
      const BitsTag db;
      const hn::Rebind<uint16_t, FloatTag> halves;
      constexpr int64_t kLanes = kFloatLanes;
      uint16_t* to = a_ + row / kTileSide * kTileNumbers;
      while (k < end) {
        const int64_t first = k % kTileDepth;
        uint16_t* step = to + k / kTileDepth * kStepNumbers;
        const int64_t in_step = kTileDepth - k % kTileDepth;
        const int64_t count = end - k < in_step ? end - k : in_step;
        BitsVector parts[kParts];
        int64_t i = 0;
        const bool whole = !kPairsRows || first % 4 == 0;
        for (; whole && i + kLanes <= count; i += kLanes) {
          split_into_parts(hn::LoadU(d, from + i), parts);
          for (int p = 0; p < kParts; ++p) {
            hn::StoreU(hn::TruncateTo(halves, hn::ShiftRight<16>(parts[p])), halves,
                       step + p * 2 * kTileNumbers + place(row % kTileSide, first + i));
          }
        }
        for (; i < count; i += kLanes) {
          const int64_t last = kPairsRows && i + kLanes < count ? i + kLanes : count;
          split_into_parts(load_partial(d, from + i, static_cast<size_t>(last - i)), parts);
          HWY_ALIGN uint32_t bits[kFloatLanes];
          for (int p = 0; p < kParts; ++p) {
            hn::Store(parts[p], db, bits);
            for (int64_t j = i; j < last; ++j) {
              step[p * 2 * kTileNumbers + place(row % kTileSide, first + j)] =
                  static_cast<uint16_t>(bits[j - i] >> 16U);
            }
          }
        }
        from += count;
        k += count;
      }
    }

    void clear_row(int row, int64_t k, int64_t end) {
      static constexpr float kZeros[kTileDepth] = {};
      for (; k < end; k = (k / kTileDepth + 1) * kTileDepth) {
        const int64_t next = (k / kTileDepth + 1) * kTileDepth;
        split_row(kZeros, row, k, next < end ? next : end);
      }
    }

    void multiply_block(bool two_columns, const uint16_t* b, int64_t steps, const float* start) {
#if CORACLE_BF16_DOTS
      if constexpr (kDots) {
        return two_columns ? dots<2>(count_, a_, b, steps, start, sums_[0])
                           : dots<1>(count_, a_, b, steps, start, sums_[0]);
      }
#endif
      if (count_ > kTileSide) {
        two_columns ? multiply<2, 2>(tiles_, a_, b, steps, start, sums_[0])
                    : multiply<2, 1>(tiles_, a_, b, steps, start, sums_[0]);
      } else {
        two_columns ? multiply<1, 2>(tiles_, a_, b, steps, start, sums_[0])
                    : multiply<1, 1>(tiles_, a_, b, steps, start, sums_[0]);
      }
    }

    void panel(int64_t group, int64_t p, int64_t begin, int64_t end) {
      const GemmShape& shape = call_.shape;
      const int64_t left = shape.columns - p * kBlockColumns;
      const auto columns = static_cast<size_t>(left < kBlockColumns ? left : kBlockColumns);
      const auto* packed = reinterpret_cast<const uint16_t*>(call_.packed + group * group_floats_);
      const uint16_t* b = packed + p * panel_numbers(shape) + begin * kStepNumbers;
      float* base = call_.c + group * (call_.c_group_stride - shape.columns);
      const int64_t column = group * shape.columns + p * kBlockColumns;
      HWY_ALIGN static constexpr float kZeros[kBlockRows * kBlockColumns] = {};
      for (int r = 0; r < count_ && begin > 0; ++r) {
        memcpy(start_[r], base + pixels_[r] * call_.c_stride + column, columns * sizeof(float));
      }
      const float* start = begin == 0 ? kZeros : start_[0];
      multiply_block(columns > kTileSide, b, end - begin, start);
      for (int r = 0; r < count_; ++r) {
        if (!all_numbers(sums_[r])) [[unlikely]]
          repair(a_, b, end - begin, r, start + r * kBlockColumns, sums_[r]);
      }
      if (end == steps_) {
        store_block(call_, sums_[0], count_, columns, {base, call_.c_stride, pixels_, static_cast<size_t>(column)});
        return;
      }
      for (int r = 0; r < count_; ++r) {
        memcpy(base + pixels_[r] * call_.c_stride + column, sums_[r], columns * sizeof(float));
      }
    }

    const GemmCall& call_;
    const int64_t steps_;
    const int64_t group_floats_;
    TapBounds bounds_{};
    TileRows rows_;
    MatrixTiles tiles_;
    int count_ = 0;
    int64_t pixels_[kBlockRows] = {};
    // Rows and columns that fill up tiles are computed too; nobody reads them.
    HWY_ALIGN float start_[kBlockRows][kBlockColumns] = {};
    HWY_ALIGN float sums_[kBlockRows][kBlockColumns] = {};
    HWY_ALIGN uint16_t a_[kBlockSteps * kStepNumbers];
  };

  static void run(const GemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
    if (row_begin >= row_end || panel_begin >= panel_end) return;
    Run one(call);
    const int64_t per_group = panels(call.shape.columns);
    for (int64_t at = panel_begin; at < panel_end;) {
      const int64_t group = at / per_group;
      const int64_t first = at - group * per_group;
      int64_t last = first + kBlockPanels < per_group ? first + kBlockPanels : per_group;
      if (last - first > panel_end - at) last = first + panel_end - at;
      one.run(row_begin, row_end, group, first, last);
      at += last - first;
    }
  }

  static constexpr GemmFunctions kFunctions = {panels, tile_rows, packed_floats, pack, sums_wait_in_c, run};
};

#if !(CORACLE_BF16_DOTS && HWY_TARGET == HWY_NEON)
int64_t multiply_tiles(int64_t steps) {
  MatrixTiles tiles;
  HWY_ALIGN static constexpr uint16_t kZeros[kTileNumbers] = {};
  tiles.load<4>(kZeros);
  tiles.load<5>(kZeros);
  tiles.load<6>(kZeros);
  tiles.load<7>(kZeros);
  tiles.zero<0>();
  tiles.zero<1>();
  tiles.zero<2>();
  tiles.zero<3>();
  for (int64_t s = 0; s < steps; ++s) {
    tiles.multiply<0, 4, 6>();
    tiles.multiply<1, 4, 7>();
    tiles.multiply<2, 5, 6>();
    tiles.multiply<3, 5, 7>();
  }
  return steps * 4 * 2 * kTileSide * kTileNumbers;
}
#endif

}  // namespace

extern const TileGemmFunctions tile_gemm;
#if CORACLE_BF16_DOTS && HWY_TARGET == HWY_NEON
const TileGemmFunctions tile_gemm = {{}, {}, {}, TileGemm<Bf16, true>::kFunctions, nullptr};
#else
const TileGemmFunctions tile_gemm = {TileGemm<X6>::kFunctions, TileGemm<X3>::kFunctions, TileGemm<Bf16>::kFunctions,
                                     TileGemm<Bf16, CORACLE_BF16_DOTS != 0>::kFunctions, multiply_tiles};
#endif

}  // namespace coracle::internal::cpu::CORACLE_ISA
