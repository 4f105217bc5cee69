// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/integer_gemm.h"

#include "devices/cpu/isa/integer_finish.h"
#include "integer_padded.h"
#include "integer_tile.h"

namespace coracle::cpu::CORACLE_ISA {
namespace {

#if defined(CORACLE_PAIRS_OF_INTEGERS)
constexpr bool kTakesImages = false;
#else
constexpr bool kTakesImages = true;
#endif

// Eight numbers, and fewer.
HWY_INLINE void copy_eight(const int8_t* from, Packed* to) {
#if CORACLE_BYTES_BY_REACH || CORACLE_DOT_PRODUCTS
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
#if CORACLE_BYTES_BY_REACH || CORACLE_DOT_PRODUCTS
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

  // `stride` apart, which is at least the depth.
  HWY_INLINE void copy_next(int64_t rows, int64_t stride, Packed* to) {
    const bool adjacent = (!kTakesImages || image_ == nullptr) && call_.a_stride == stride && call_.depth == stride;
    if (adjacent) {
      copy(from_, rows * stride, to);
      from_ += rows * stride;
      return;
    }
    for (int64_t r = 0; r < rows; ++r) copy_next(to + r * stride);
  }

 private:
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

constexpr int32_t kOnlyTap = 0;

void run(const IntegerGemmCall& call, int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) {
#if CORACLE_BYTES_BY_REACH
  if (call.padded != nullptr) return run_padded(call, row_begin, row_end, panel_begin, panel_end);
#endif
  IntegerFinishing finishing;
  integer_finish.prepare(call.result, finishing);
  const int64_t depth = call.taps * call.depth;
  const int64_t groups = (depth + kPerGroup - 1) / kPerGroup;
  const int64_t stride = groups * kPerGroup;
  HWY_ALIGN float sums[kTiles * kTileRows * 2 * kFloatLanes];
  const int64_t panel_bytes = 2 * kLanes * 4 * (1 + groups);
  [[maybe_unused]] const IntegerReach* const reaches = reaches_of(call, groups);
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
      from.copy_next(t.rows, stride, t.a);
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
        TileCall of_tile = {t.a, stride, groups, 1, &kOnlyTap, panel, t.added, nullptr, to};
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
    .lanes = kLanes,
    .element_bytes = sizeof(Packed),
    .tile_rows = kTileRows,
    .tiles = kTiles,
    .dot_products = CORACLE_DOT_PRODUCTS != 0,
    .run = run,
#if CORACLE_BYTES_BY_REACH
    .pad = pad,
#endif
};

}  // namespace coracle::cpu::CORACLE_ISA
