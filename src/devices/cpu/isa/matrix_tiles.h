// SPDX-License-Identifier: Apache-2.0
//
// The eight tile registers of Intel AMX (Software Developer's Manual, volume 1, chapter 18), for products of bfloat16
// numbers and of bytes: 0 to 3 are sums, 4 and 5 rows of A, 6 and 7 of B. The same in ordinary vectors where the source
// is compiled without them. Included only by sources that are compiled once per instruction set.
#pragma once

#include <cstdint>
#include <cstring>

#include "vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

constexpr int kTileSide = 16;                  // rows of a tile; also groups of 4 bytes of a row
constexpr int kTileDepth = 32;                 // bfloat16 numbers of a row
constexpr int kTileNumbers = 16 * kTileDepth;  // bfloat16 numbers of a tile

#if defined(__AMX_TILE__)

// Tiles of this thread, from construction to destruction; `groups` of 4 bytes in the rows of A, and as many rows of B.
class MatrixTiles {
 public:
  explicit MatrixTiles(int groups = kTileSide) {
    const auto bytes = static_cast<uint16_t>(groups * 4);
    const auto count = static_cast<uint8_t>(groups);
    struct alignas(64) {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t row_bytes[16] = {};
      uint8_t rows[16] = {};
    } const configuration = {.row_bytes = {64, 64, 64, 64, bytes, bytes, 64, 64},
                             .rows = {16, 16, 16, 16, 16, 16, count, count}};
    asm volatile("ldtilecfg %0" ::"m"(configuration));
  }
  ~MatrixTiles() { asm volatile("tilerelease"); }
  MatrixTiles(const MatrixTiles&) = delete;
  MatrixTiles& operator=(const MatrixTiles&) = delete;

  template <int kTile>
  HWY_INLINE void zero() {
    asm volatile("tilezero %%tmm%c0" ::"i"(kTile));
  }
  // Rows that are `stride` bytes apart.
  template <int kTile>
  HWY_INLINE void load(const void* from, int64_t stride = 64) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(kTile) : "memory");
  }
  template <int kTile>
  HWY_INLINE void store(void* to, int64_t stride) const {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(kTile) : "memory");
  }
  // kSum[i][j] += sum over k < 16, e < 2 of kA[i][2k + e] * kB[k][2j + e]. Denormal numbers count as zero.
  template <int kSum, int kA, int kB>
  HWY_INLINE void multiply() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
  }
  // kSum[i][j] += sum over k < groups, e < 4 of kA[i][4k + e] * kB[k][4j + e], of integers: unsigned ones by signed
  // ones.
  template <int kSum, int kA, int kB>
  HWY_INLINE void multiply_bytes() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(kSum), "i"(kA), "i"(kB));
  }
};

#else

class MatrixTiles {
 public:
  explicit MatrixTiles(int groups = kTileSide) : groups_(groups) {}

  template <int kTile>
  void zero() {
    memset(tiles_[kTile], 0, sizeof(tiles_[kTile]));
  }
  template <int kTile>
  void load(const void* from, int64_t stride = 64) {
    const int rows = kTile >= 6 ? groups_ : kTileSide;
    const size_t bytes = kTile == 4 || kTile == 5 ? static_cast<size_t>(groups_) * 4 : 64;
    zero<kTile>();
    for (int r = 0; r < rows; ++r) memcpy(tiles_[kTile][r], static_cast<const char*>(from) + r * stride, bytes);
  }
  template <int kTile>
  void store(void* to, int64_t stride) const {
    for (int r = 0; r < kTileSide; ++r) memcpy(static_cast<char*>(to) + r * stride, tiles_[kTile][r], 64);
  }
  // The sums of the lower and of the upper halves are added at the end.
  template <int kSum, int kA, int kB>
  void multiply() {
    const FloatTag d;
    HWY_ALIGN float right[2][kTileSide][kTileSide];
    HWY_ALIGN float left[2][kTileSide][kTileSide];
    unpack(tiles_[kA], left);
    unpack(tiles_[kB], right);
    for (int i = 0; i < kTileSide; ++i) {
      for (size_t j = 0; j < kTileSide; j += kFloatLanes) {
        FloatVector lower = hn::Zero(d);
        FloatVector upper = hn::Zero(d);
        for (int k = 0; k < kTileSide; ++k) {
          lower = hn::MulAdd(hn::Set(d, left[0][i][k]), hn::Load(d, right[0][k] + j), lower);
          upper = hn::MulAdd(hn::Set(d, left[1][i][k]), hn::Load(d, right[1][k] + j), upper);
        }
        auto* sums = reinterpret_cast<float*>(tiles_[kSum][i]) + j;
        const FloatVector sum = hn::Add(hn::Load(d, sums), hn::Add(lower, upper));
        hn::Store(hn::IfThenZeroElse(hn::Lt(hn::Abs(sum), hn::Set(d, 0x1p-126f)), sum), d, sums);
      }
    }
  }
  template <int kSum, int kA, int kB>
  void multiply_bytes() {
    for (int i = 0; i < kTileSide; ++i) {
      for (int k = 0; k < groups_; ++k) {
        uint8_t a[4];
        int8_t b[kTileSide][4];
        memcpy(a, &tiles_[kA][i][k], sizeof(a));
        memcpy(b, tiles_[kB][k], sizeof(b));
        for (int j = 0; j < kTileSide; ++j) {
          const int32_t sum = a[0] * b[j][0] + a[1] * b[j][1] + a[2] * b[j][2] + a[3] * b[j][3];
          tiles_[kSum][i][j] += static_cast<uint32_t>(sum);
        }
      }
    }
  }

 private:
  // The bfloat16 numbers of the lower and upper halves; denormal ones as zeros.
  static void unpack(const uint32_t (&tile)[kTileSide][kTileSide], float (&numbers)[2][kTileSide][kTileSide]) {
    const FloatTag d;
    const hn::Repartition<uint32_t, FloatTag> db;
    const auto exponent = hn::Set(db, 0x7f800000);
    for (int r = 0; r < kTileSide; ++r) {
      for (size_t j = 0; j < kTileSide; j += kFloatLanes) {
        const auto lanes = hn::Load(db, tile[r] + j);
        const auto store = [&](auto bits, float* to) HWY_ATTR {
          const auto tiny = hn::Eq(hn::And(bits, exponent), hn::Zero(db));
          hn::Store(hn::BitCast(d, hn::IfThenZeroElse(tiny, bits)), d, to + j);
        };
        store(hn::ShiftLeft<16>(lanes), numbers[0][r]);
        store(hn::And(lanes, hn::Set(db, 0xffff0000U)), numbers[1][r]);
      }
    }
  }

  const int groups_;
  HWY_ALIGN uint32_t tiles_[8][kTileSide][kTileSide] = {};
};

#endif

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
