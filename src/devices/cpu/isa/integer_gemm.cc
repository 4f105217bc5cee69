// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/integer_gemm.h"

#include <utility>

#include "devices/cpu/isa/integer_finish.h"
#include "integer_dots.h"

#if HWY_TARGET == HWY_AVX2 && !defined(CORACLE_PAIRS_OF_INTEGERS)
#define CORACLE_BYTES_BY_REACH 1
#include "integer_window.h"
#else
#define CORACLE_BYTES_BY_REACH 0
#endif

namespace coracle::cpu::CORACLE_ISA {
namespace {

constexpr auto kLanes = static_cast<int64_t>(kFloatLanes);

#if defined(__AVX512VNNI__)
using avx512::integer_finish;
#elif defined(CORACLE_PAIRS_OF_INTEGERS)
using avx2::integer_finish;
#endif
#if defined(CORACLE_PAIRS_OF_INTEGERS)
constexpr bool kTakesImages = false;
#else
constexpr bool kTakesImages = true;
#endif

// How the products of a group of 4 bytes of A and one of each column of B are summed.
enum class Products {
  kPlain,   // four numbers plus 128 by four of B (VNNI), or two of 16 bits by two
  kPairs,   // four from 0 on by four, where no sum of two products exceeds 16 bits
  kFours,   // the same of two groups, where no sum of four exceeds 16 bits
  kSigned,  // four by four
};

#if defined(__AVX512VNNI__)
using Packed = uint8_t;
constexpr Packed kZero = 128;
constexpr int kTileRows = 12;
constexpr bool kChoosesProducts = false;
// As an instruction: from the intrinsic, GCC 12 moves all sums of a loop to other registers and back.
template <Products>
HWY_INLINE void multiply_add(Sums& sum, Sums a, Sums b) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
}
#elif CORACLE_BYTES_BY_REACH
using Packed = int8_t;
constexpr Packed kZero = 0;
constexpr int kTileRows = 6;
constexpr bool kChoosesProducts = true;
HWY_INLINE Sums sums_of_pairs(Sums pairs) { return _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)); }
template <Products kProducts>
HWY_INLINE void multiply_add(Sums& sum, Sums a, Sums b) {
  if constexpr (kProducts == Products::kSigned) {
    // At most 128 * 127 * 2.
    sum = add(sum, sums_of_pairs(_mm256_maddubs_epi16(_mm256_abs_epi8(a), _mm256_sign_epi8(b, a))));
  } else {
    sum = add(sum, sums_of_pairs(_mm256_maddubs_epi16(a, b)));
  }
}
HWY_INLINE void multiply_add_fours(Sums& sum, Sums a, Sums b, Sums next_a, Sums next_b) {
  sum = add(sum, sums_of_pairs(_mm256_add_epi16(_mm256_maddubs_epi16(a, b), _mm256_maddubs_epi16(next_a, next_b))));
}
#else
using Packed = int16_t;
constexpr Packed kZero = 0;
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 12;
#elif HWY_TARGET == HWY_AVX2
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 4;
#endif
constexpr bool kChoosesProducts = false;
template <Products>
HWY_INLINE void multiply_add(Sums& sum, const Sums& a, const Sums& b) {
  sum = add(sum, multiply_pairs(a, b));
}
#endif

constexpr int64_t kPerGroup = 4 / static_cast<int64_t>(sizeof(Packed));
constexpr int64_t kBeyond = 31;  // bytes that may be read, and written, behind a tile

// Eight numbers, and fewer.
HWY_INLINE void copy_eight(const int8_t* from, Packed* to) {
#if CORACLE_BYTES_BY_REACH || defined(__AVX512VNNI__)
  uint64_t bits;
  memcpy(&bits, from, sizeof(bits));
  bits ^= uint64_t{0x0101010101010101} * static_cast<uint8_t>(kZero);
  memcpy(to, &bits, sizeof(bits));
#else
  const hn::CappedTag<int16_t, 8> d;
  const hn::Rebind<int8_t, decltype(d)> bytes;
  hn::StoreU(hn::PromoteTo(d, hn::LoadU(bytes, from)), d, to);
#endif
}
HWY_INLINE void copy_few(const int8_t* HWY_RESTRICT from, int64_t count, Packed* HWY_RESTRICT to) {
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Packed>(from[i] + kZero);
}

// Most rows of filters and many images have few channels. The last eight numbers may be copied twice.
HWY_INLINE void copy(const int8_t* HWY_RESTRICT from, int64_t count, Packed* HWY_RESTRICT to) {
  if (count < 8) return copy_few(from, count, to);
  int64_t i = 0;
#if CORACLE_BYTES_BY_REACH || defined(__AVX512VNNI__)
  const __m256i flip = _mm256_set1_epi8(static_cast<char>(kZero));
  for (; i + 32 <= count; i += 32) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_xor_si256(v, flip));
  }
#endif
  for (; i + 8 <= count; i += 8) copy_eight(from + i, to + i);
  if (i < count) copy_eight(from + count - 8, to + count - 8);
}

HWY_INLINE void fill(int64_t count, Packed* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = kZero;
}

// Rows of A, one after the other: each adjacent numbers, or the pixels that the taps of a filter meet.
class Rows {
 public:
  HWY_INLINE Rows(const IntegerGemmCall& call, int64_t row) : call_(call), image_(kTakesImages ? call.image : nullptr) {
    if (!kTakesImages || image_ == nullptr) {
      from_ = call.a + row * call.a_stride;
      return;
    }
    const int64_t y = row / image_->out_w;
    ox_ = row % image_->out_w;
    oy_ = y % image_->out_h;
    from_ = call.a + y / image_->out_h * image_->in_h * image_->in_w * image_->in_channels;
  }

  HWY_INLINE void copy_next(Packed* to) {
    if (!kTakesImages || image_ == nullptr) {
      copy(from_, call_.depth, to);
      from_ += call_.a_stride;
      return;
    }
    const GemmImage& m = *image_;
    for (int64_t t = 0; t < call_.taps; ++t, to += call_.depth) {
      const int64_t y = oy_ * m.stride_y + m.tap_y[t];
      const int64_t x = ox_ * m.stride_x + m.tap_x[t];
      if (y >= 0 && y < m.in_h && x >= 0 && x <= m.in_w - m.join) {
        copy(from_ + (y * m.in_w + x) * m.in_channels, call_.depth, to);
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

 private:
  // Pixels of which some are outside of the image.
  HWY_NOINLINE void copy_from_edge(int64_t y, int64_t x, Packed* to) const {
    const GemmImage& m = *image_;
    const int64_t n = call_.depth / m.join;
    const int64_t begin = x < 0 ? (-x < m.join ? -x : m.join) : 0;
    int64_t end = m.in_w - x < m.join ? m.in_w - x : m.join;
    if (y < 0 || y >= m.in_h || end < begin) end = begin;
    if (begin > 0) fill(begin * n, to);
    if (end > begin) copy(from_ + (y * m.in_w + x + begin) * m.in_channels, (end - begin) * n, to + begin * n);
    if (end < m.join) fill((m.join - end) * n, to + end * n);
  }

  const IntegerGemmCall& call_;
  const GemmImage* const image_;
  const int8_t* from_;  // the next row, or the image that it lies in
  int64_t ox_ = 0;      // the next row's place in the result
  int64_t oy_ = 0;
};

// One row's sums of one or two vectors.
struct RowSums {
  Sums first;
  Sums second;

  template <Products kProducts, int kVectors>
  HWY_INLINE void add_group(const Packed* a, const Sums& first_column, const Sums& second_column) {
    const Sums x = broadcast_group(a);
    multiply_add<kProducts>(first, x, first_column);
    if constexpr (kVectors == 2) multiply_add<kProducts>(second, x, second_column);
  }
  template <int kVectors>
  HWY_INLINE void store(float* to) const {
    store_floats(first, to);
    if constexpr (kVectors == 2) store_floats(second, to + kFloatLanes);
  }
};

// A tile of A and what it is multiplied with.
struct TileCall {
  const Packed* a;
  int64_t stride;  // from row to row
  int64_t groups;
  const char* panel;
  int32_t added;      // to the numbers of A, if the products are chosen
  const char* start;  // of each row's sums; null: the same for all, what the panel begins with
  float* tile;
};

// Sums of rows of groups with one panel. The rows are unrolled by their numbers, as sums in an array that a loop goes
// through would stay in memory.
template <Products kProducts, int kVectors, size_t... kRow>
HWY_INLINE void multiply(const TileCall& call, std::index_sequence<kRow...> /*rows*/) {
  constexpr size_t kVectorBytes = sizeof(Sums);
  constexpr size_t kSecond = (kVectors - 1) * kVectorBytes;
  constexpr size_t kStep = kVectors * kVectorBytes;
  const int64_t stride = call.stride;
  RowSums sums[sizeof...(kRow)];
  RowSums initial = {load_sums(call.panel), load_sums(call.panel + kSecond)};
#if CORACLE_BYTES_BY_REACH
  if (call.start != nullptr) {
    ((sums[kRow] = {load_sums(call.start + static_cast<int64_t>(kRow * kStep)),
                    load_sums(call.start + static_cast<int64_t>(kRow * kStep + kSecond))}),
     ...);
  } else {
    initial = {times_added(initial.first, call.added), times_added(initial.second, call.added)};
    ((sums[kRow] = initial), ...);
  }
#else
  ((sums[kRow] = initial), ...);
#endif
  const Packed* HWY_RESTRICT a = call.a;
  const char* HWY_RESTRICT b = call.panel + kStep;
  int64_t left = call.groups;
#if CORACLE_BYTES_BY_REACH
  if constexpr (kProducts == Products::kFours) {
    for (; left >= 2; left -= 2, b += 2 * kStep, a += 2 * kPerGroup) {
      const Sums first = load_sums(b);
      const Sums next_first = load_sums(b + kStep);
      (multiply_add_fours(sums[kRow].first, broadcast_group(a + static_cast<int64_t>(kRow) * stride), first,
                          broadcast_group(a + static_cast<int64_t>(kRow) * stride + kPerGroup), next_first),
       ...);
      if constexpr (kVectors == 2) {
        const Sums second = load_sums(b + kSecond);
        const Sums next_second = load_sums(b + kStep + kSecond);
        (multiply_add_fours(sums[kRow].second, broadcast_group(a + static_cast<int64_t>(kRow) * stride), second,
                            broadcast_group(a + static_cast<int64_t>(kRow) * stride + kPerGroup), next_second),
         ...);
      }
    }
  }
#endif
  for (; left > 0; --left, b += kStep, a += kPerGroup) {
    const Sums first = load_sums(b);
    const Sums second = load_sums(b + kSecond);
    (sums[kRow].template add_group<kProducts, kVectors>(a + static_cast<int64_t>(kRow) * stride, first, second), ...);
  }
  (sums[kRow].template store<kVectors>(call.tile + kRow * kVectors * kFloatLanes), ...);
}

template <Products kProducts, int kVectors, int kRows>
void multiply_rows_of(const TileCall& call) {
  multiply<kProducts, kVectors>(call, std::make_index_sequence<kRows>());
}

template <Products kProducts, int kVectors>
void multiply_rows(int64_t rows, const TileCall& call) {
  if (rows == 1) return multiply_rows_of<kProducts, kVectors, 1>(call);
  if (rows <= kTileRows / 2) return multiply_rows_of<kProducts, kVectors, kTileRows / 2>(call);
  multiply_rows_of<kProducts, kVectors, kTileRows>(call);
}

template <Products kProducts>
void multiply_vectors(int64_t vectors, int64_t rows, const TileCall& call) {
  if (vectors == 2) {
    multiply_rows<kProducts, 2>(rows, call);
  } else {
    multiply_rows<kProducts, 1>(rows, call);
  }
}

// Rows of A that are multiplied together.
struct RowTile {
  Packed* a = nullptr;
  int64_t rows = 0;
  Extent extent = {};  // if the products are chosen
  int32_t added = 0;   // the same: what makes the least of them 0
  bool clipped = false;
};

HWY_INLINE Products products_for(const RowTile& tile, int32_t least_reach, const IntegerReach& reach) {
  if constexpr (!kChoosesProducts) return Products::kPlain;
  if (tile.extent.reach() > least_reach) return Products::kSigned;
  return tile.extent.reach() <= reach.fours ? Products::kFours : Products::kPairs;
}

void multiply_tile(Products products, int64_t vectors, int64_t rows, const TileCall& call) {
  if constexpr (kChoosesProducts) {
    switch (products) {
      case Products::kSigned: return multiply_vectors<Products::kSigned>(vectors, rows, call);
      case Products::kFours: return multiply_vectors<Products::kFours>(vectors, rows, call);
      default: return multiply_vectors<Products::kPairs>(vectors, rows, call);
    }
  }
  multiply_vectors<Products::kPlain>(vectors, rows, call);
}

constexpr int64_t kTiles = static_cast<int64_t>(kMostFinishedRows) / kTileRows;

#if CORACLE_BYTES_BY_REACH
// The numbers of a tile, `stride` in each row, become what is multiplied: what lies between them and the least, if that
// is within reach for all or with few exceptions.
HWY_INLINE void choose_products(RowTile& t, int64_t stride, int32_t reach, int64_t panels,
                                Outliers<kTileRows>& outliers) {
  constexpr int64_t kFewest = 3;  // panels for which clipping pays
  constexpr int64_t kShortest = 128;
  const int64_t count = t.rows * stride;
  t.extent = extent_of(t.a, count);
  if (t.extent.reach() <= reach) {
    if (t.extent.least >= 0) return;
    t.added = -t.extent.least;
    return add_to_all(t.a, count, t.added);
  }
  if (panels < kFewest || stride < kShortest) return;
  const BestWindow best = best_window(t.a, count, t.extent, reach);
  const int64_t most = count / 12;  // then their products take as long as is saved
  if (best.outside > (most < kMostOutliers ? most : kMostOutliers)) return;
  outliers.clip(t.a, stride, t.rows, best.window);
  t.extent = best.window;
  t.added = -best.window.least;
  t.clipped = true;
}
#endif

void run(const IntegerGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
  IntegerFinishing finishing;
  integer_finish.prepare(call.result, finishing);
  const int64_t depth = call.taps * call.depth;
  const int64_t groups = (depth + kPerGroup - 1) / kPerGroup;
  const int64_t stride = groups * kPerGroup;
  HWY_ALIGN float sums[kTiles * kTileRows * 2 * kFloatLanes];
  const int64_t panel_bytes = 2 * kLanes * 4 * (1 + groups);
  const int64_t columns_stored = (call.columns + kLanes - 1) / kLanes * kLanes;
  [[maybe_unused]] const auto* reaches =
      reinterpret_cast<const IntegerReach*>(static_cast<const char*>(call.packed) + columns_stored * 4 * (1 + groups));
  int32_t reach = 255;
  if constexpr (kChoosesProducts) {
    for (int64_t p = panel_begin; p < panel_end; ++p) reach = reaches[p].pairs < reach ? reaches[p].pairs : reach;
  }
  // What is behind a row, and the rows that a last tile does not have, count nothing; but they are multiplied.
  const int64_t tiles = integer_gemm.tiles_of(depth);
  auto* const a = static_cast<Packed*>(call.scratch);
  const auto scratch_bytes = static_cast<size_t>(tiles * kTileRows * stride) * sizeof(Packed) + kBeyond;
  memset(a, 0, scratch_bytes);
  Rows from(call, row_begin);
  RowTile tile[kTiles];
#if CORACLE_BYTES_BY_REACH
  Outliers<kTileRows> outliers[kTiles];
  HWY_ALIGN char starts[kTileRows * 2 * sizeof(Sums)];
#endif
  for (int64_t row = row_begin; row < row_end;) {
    int64_t rows = 0;
    int64_t count = 0;
    bool changed = false;
    for (; count < tiles && row + rows < row_end; ++count) {
      RowTile& t = tile[count];
      t = {.a = a + rows * stride, .rows = row_end - row - rows < kTileRows ? row_end - row - rows : kTileRows};
      for (int64_t r = 0; r < t.rows; ++r) from.copy_next(t.a + r * stride);
#if CORACLE_BYTES_BY_REACH
      choose_products(t, stride, reach, panel_end - panel_begin, outliers[count]);
      changed = changed || t.added != 0;
#endif
      rows += t.rows;
    }
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      const int64_t first = p * 2 * kLanes;
      const int64_t columns = call.columns - first < 2 * kLanes ? call.columns - first : 2 * kLanes;
      const int64_t vectors = columns > kLanes ? 2 : 1;
      const char* const panel = static_cast<const char*>(call.packed) + p * panel_bytes;
      float* to = sums;
      for (int64_t i = 0; i < count; ++i, to += kTileRows * vectors * kLanes) {
        const RowTile& t = tile[i];
        const Products products = products_for(t, reach, kChoosesProducts ? reaches[p] : IntegerReach());
        TileCall of_tile = {t.a, stride, groups, panel, t.added, nullptr, to};
#if CORACLE_BYTES_BY_REACH
        if (t.clipped) {
          outliers[i].start(vectors, panel, t.added, starts);
          of_tile.start = starts;
        }
#endif
        multiply_tile(products, vectors, t.rows, of_tile);
      }
      integer_finish.finish(finishing, {sums, static_cast<size_t>(vectors) * kFloatLanes, static_cast<size_t>(rows),
                                        static_cast<size_t>(columns), row, first});
    }
    if (changed) memset(a, 0, scratch_bytes);
    row += rows;
  }
}

}  // namespace

const IntegerGemmFunctions integer_gemm = {
    .lanes = kLanes, .element_bytes = sizeof(Packed), .tile_rows = kTileRows, .tiles = kTiles, .run = run};

}  // namespace coracle::cpu::CORACLE_ISA
