// SPDX-License-Identifier: Apache-2.0
//
// Products with a right matrix of numbers narrower than float32, widened in registers: of few rows, which wait for the
// matrix to come from memory. Sums are made as the tiles of gemm.cc make them. Included only by gemm.cc.
#pragma once

#include "epilogue.h"
#include "gemm_tile.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

static_assert(kPanelVectors == 2);

// Exact, of infinity and NaN too.
HWY_INLINE V floats_of(hn::Vec<hn::Rebind<uint16_t, FloatTag>> halves) {
  const FloatTag d;
#if HWY_TARGET == HWY_EMU128
  const IntTag di;
  const auto bits = hn::PromoteTo(di, halves);
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7fff));
  const auto mantissa = hn::ShiftLeft<13>(magnitude);
  const auto normal = hn::Add(mantissa, hn::Set(di, 112 << 23));
  const auto denormal = hn::BitCast(di, hn::Mul(hn::ConvertTo(d, magnitude), hn::Set(d, 0x1p-24f)));
  const auto special = hn::Or(mantissa, hn::Set(di, 0x7f800000));
  const auto number = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x0400)), denormal, normal);
  const auto value = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7bff)), special, number);
  return hn::BitCast(d, hn::Or(value, hn::ShiftLeft<16>(hn::Sub(bits, magnitude))));
#else
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, FloatTag>(), halves));
#endif
}

// The panel's columns of one k, `b` being the row's first byte.
template <NarrowType kType>
HWY_INLINE void load_columns(const uint8_t* b, V (&column)[kPanelVectors]) {
  const FloatTag d;
  const IntTag di;
  if constexpr (kType == NarrowType::kInt4) {
    // Byte i has column i in its lower half, and the one a vector behind it in the upper.
    const hn::Rebind<uint8_t, FloatTag> bytes;
    const auto both = hn::PromoteTo(di, hn::LoadU(bytes, b));
    const auto middle = hn::Set(di, 8);
    column[0] = hn::ConvertTo(d, hn::Sub(hn::And(both, hn::Set(di, 15)), middle));
    column[1] = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<4>(both), middle));
    return;
  }
  CORACLE_UNROLL for (int j = 0; j < kPanelVectors; ++j) {
    if constexpr (kType == NarrowType::kInt8) {
      const hn::Rebind<int8_t, FloatTag> bytes;
      const int8_t* from = reinterpret_cast<const int8_t*>(b) + j * kFloatLanes;
      column[j] = hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(bytes, from)));
    } else {
      const hn::Rebind<uint16_t, FloatTag> halves;
      const auto bits = hn::LoadU(halves, reinterpret_cast<const uint16_t*>(b) + j * kFloatLanes);
      if constexpr (kType == NarrowType::kFloat16) {
        column[j] = floats_of(bits);
      } else {
        const hn::Rebind<uint32_t, FloatTag> words;
        column[j] = hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(words, bits)));
      }
    }
  }
}

constexpr int64_t narrow_row_bytes(NarrowType type) { return static_cast<int64_t>(kPanelColumns) * bits_of(type) / 8; }

// f(type, scaled) with both as constants.
template <class F>
HWY_INLINE auto with_narrow_type(const NarrowMatrix& b, F f) {
  using T = NarrowType;
  switch (b.type) {
    case T::kFloat16: return f.template operator()<T::kFloat16, false>();
    case T::kBfloat16: return f.template operator()<T::kBfloat16, false>();
    case T::kInt8:
      return b.scales == nullptr ? f.template operator()<T::kInt8, false>() : f.template operator()<T::kInt8, true>();
    case T::kInt4: break;
  }
  return f.template operator()<T::kInt4, true>();
}

// Without vectors of the machine's own, widening first takes no longer.
#if HWY_TARGET != HWY_EMU128
// kRows rows of A by kPanels panels, of which one is 1. Sums go side by side.
struct NarrowTile {
  const float* a[4];
  int64_t depth;
  const uint8_t* b;
  int64_t panel_bytes;
  const float* scales;   // of the first panel's columns and the first group
  int64_t scale_stride;  // from group to group
  int64_t group;
  const float* initial;  // per column, or null for zeros
  float* sums;
};

template <NarrowType kType, bool kScaled, int kRows, int kPanels>
void narrow_tile(const NarrowTile& t) {
  const FloatTag d;
  constexpr int kSums = kRows * kPanels;
  V sum[kSums][kPanelVectors];
  CORACLE_UNROLL for (int s = 0; s < kSums; ++s) {
    const int panel = kRows == 1 ? s : 0;
    CORACLE_UNROLL for (int j = 0; j < kPanelVectors; ++j) {
      sum[s][j] = t.initial == nullptr
                      ? hn::Zero(d)
                      : hn::LoadU(d, t.initial + panel * static_cast<int>(kPanelColumns) + j * kFloatLanes);
    }
  }
  const uint8_t* b = t.b;
  const float* scales = t.scales;
  const int64_t whole = kScaled ? t.group : t.depth;
  for (int64_t k = 0; k < t.depth; scales += kScaled ? t.scale_stride : 0) {
    const int64_t end = t.depth - k < whole ? t.depth : k + whole;
    for (; k < end; ++k, b += narrow_row_bytes(kType)) {
      CORACLE_UNROLL for (int p = 0; p < kPanels; ++p) {
        V column[kPanelVectors];
        load_columns<kType>(b + p * t.panel_bytes, column);
        if constexpr (kScaled) {
          CORACLE_UNROLL for (int j = 0; j < kPanelVectors; ++j) {
            const float* by = scales + p * static_cast<int>(kPanelColumns) + j * kFloatLanes;
            column[j] = hn::Mul(column[j], hn::LoadU(d, by));
          }
        }
        CORACLE_UNROLL for (int r = 0; r < kRows; ++r) {
          const V a = hn::Set(d, t.a[r][k]);
          V(&to)[kPanelVectors] = sum[kRows == 1 ? p : r];
          CORACLE_UNROLL for (int j = 0; j < kPanelVectors; ++j) to[j] = hn::MulAdd(a, column[j], to[j]);
        }
      }
    }
  }
  CORACLE_UNROLL for (int s = 0; s < kSums; ++s) {
    CORACLE_UNROLL for (int j = 0; j < kPanelVectors; ++j) {
      hn::StoreU(sum[s][j], d, t.sums + s * static_cast<int>(kPanelColumns) + j * kFloatLanes);
    }
  }
}

constexpr int kNarrowRows = 4;
constexpr int kNarrowPanels = 4;

using NarrowFunction = void (*)(const NarrowTile&);
struct NarrowTiles {
  NarrowFunction rows;    // kNarrowRows rows, one panel
  NarrowFunction panels;  // one row, kNarrowPanels panels
  NarrowFunction one;
};

void run_narrow(const GemmCall& call, const NarrowMatrix& b, int64_t row_begin, int64_t row_end, int64_t panel_begin,
                int64_t panel_end) {
  const NarrowTiles tiles = with_narrow_type(b, []<NarrowType kType, bool kScaled>() {
    return NarrowTiles{narrow_tile<kType, kScaled, kNarrowRows, 1>, narrow_tile<kType, kScaled, 1, kNarrowPanels>,
                       narrow_tile<kType, kScaled, 1, 1>};
  });
  const EpilogueOp* ops = call.epilogue;
  int op_count = call.epilogue_size;
  const float* bias = nullptr;
  if (op_count > 0 && ops[0].step.kind == EpilogueKind::kAddChannel) {
    bias = ops[0].tensor;
    ++ops;
    --op_count;
  }
  constexpr int64_t kColumns = kPanelColumns;
  HWY_ALIGN float sums[kNarrowRows * kPanelColumns];
  NarrowTile t;
  t.depth = call.shape.depth;
  t.panel_bytes = t.depth * narrow_row_bytes(b.type);
  t.scale_stride = b.scale_stride;
  t.group = b.group;
  t.sums = sums;
  for (int64_t p = panel_begin; p < panel_end;) {
    const int64_t column = p * kColumns;
    t.b = static_cast<const uint8_t*>(b.panels) + p * t.panel_bytes;
    t.scales = b.scales == nullptr ? nullptr : b.scales + column;
    t.initial = bias == nullptr ? nullptr : bias + column;
    const bool one_row = row_end - row_begin == 1;
    const int together = one_row && p + kNarrowPanels <= panel_end ? kNarrowPanels : 1;
    for (int64_t row = row_begin; row < row_end; row += kNarrowRows) {
      const int rows = row_end - row < kNarrowRows ? static_cast<int>(row_end - row) : kNarrowRows;
      int64_t pixels[kNarrowRows];
      for (int r = 0; r < kNarrowRows; ++r) {
        pixels[r] = row + (r < rows ? r : rows - 1);  // too few: the last one again
        t.a[r] = call.a + pixels[r] * call.a_stride;
      }
      (rows > 1 ? tiles.rows : together > 1 ? tiles.panels : tiles.one)(t);
      for (int q = 0; q < together; ++q) {
        apply_epilogue(ops, op_count, sums + q * kColumns, kPanelColumns, static_cast<size_t>(rows), kPanelColumns,
                       {call.c, call.c_stride, pixels, static_cast<size_t>(column + q * kColumns)});
      }
    }
    p += together;
  }
}

#endif

// One panel as float32, in the order that the tiles of gemm.cc read.
void widen_panels(const NarrowMatrix& b, int64_t depth, int64_t panel_begin, int64_t panel_end, float* to) {
  const int64_t row_bytes = narrow_row_bytes(b.type);
  with_narrow_type(b, [&]<NarrowType kType, bool kScaled>() {
    const FloatTag d;
    const uint8_t* from = static_cast<const uint8_t*>(b.panels) + panel_begin * depth * row_bytes;
    for (int64_t p = panel_begin; p < panel_end; ++p) {
      const float* scales = kScaled ? b.scales + p * static_cast<int64_t>(kPanelColumns) : nullptr;
      const int64_t whole = kScaled ? b.group : depth;
      for (int64_t k = 0; k < depth; scales += kScaled ? b.scale_stride : 0) {
        const int64_t end = depth - k < whole ? depth : k + whole;
        for (; k < end; ++k, from += row_bytes, to += kPanelColumns) {
          V column[kPanelVectors];
          load_columns<kType>(from, column);
          CORACLE_UNROLL for (int j = 0; j < kPanelVectors; ++j) {
            if constexpr (kScaled) column[j] = hn::Mul(column[j], hn::LoadU(d, scales + j * kFloatLanes));
            hn::StoreU(column[j], d, to + j * kFloatLanes);
          }
        }
      }
    }
  });
}

#if HWY_TARGET == HWY_EMU128
constexpr NarrowFunctions kNarrow = {kPanelColumns, nullptr, widen_panels};
#else
constexpr NarrowFunctions kNarrow = {kPanelColumns, run_narrow, widen_panels};
#endif

}  // namespace
}  // namespace coracle::internal::cpu::CORACLE_ISA
