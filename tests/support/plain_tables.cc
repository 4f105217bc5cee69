// SPDX-License-Identifier: Apache-2.0
#include "support/plain_tables.h"

#if defined(__x86_64__)

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/half.h"
#include "devices/cpu/processor.h"

/// Panels are packed by plain code from their geometry. To compute with them, they are packed again for a table that
/// this machine runs.
namespace coracle::internal::test {
namespace {

using cpu::Isa;

// ---- products of float32

/// kPaired: half a vector of columns has two lanes for each, of an even and an odd k (isa/gemm_tile.h).
template <int64_t kLanes, int64_t kTileRows, int64_t kPairedTripleRows>
struct Panels {
  static constexpr int64_t kColumns = 2 * kLanes;
  static constexpr bool kPaired = kPairedTripleRows > 0;

  struct Panel {
    int64_t first;    ///< column
    int64_t columns;  ///< that it has room for
    bool paired;
    int64_t rows;
  };

  static int64_t panels(int64_t columns) { return rounded_up(columns, kColumns) / kColumns; }
  static Panel panel_at(int64_t columns, int64_t p) {
    const int64_t left = columns - p * kColumns;
    if (kPaired && left <= kLanes / 2) return {p * kColumns, kLanes / 2, true, kTileRows};
    if (left <= kLanes) return {p * kColumns, kLanes, false, kTileRows};
    if (kPaired && left <= kLanes * 3 / 2) return {p * kColumns, kLanes * 3 / 2, true, kPairedTripleRows};
    return {p * kColumns, kColumns, false, kTileRows};
  }
  static int64_t tile_rows(int64_t columns) { return panel_at(columns, 0).rows; }
  static int64_t tap_floats(const Panel& panel, int64_t depth) {
    return (panel.paired ? rounded_up(depth, 2) : depth) * panel.columns;
  }
  static int64_t start_of(const cpu::GemmShape& shape, int64_t p) { return p * shape.taps * shape.depth * kColumns; }
  static int64_t packed_floats(const cpu::GemmShape& shape) {
    if (shape.columns <= 0) return 0;
    const int64_t last = panels(shape.columns) - 1;
    return start_of(shape, last) + shape.taps * tap_floats(panel_at(shape.columns, last), shape.depth);
  }
  /// Of the panel's floats of a tap.
  static int64_t place(const Panel& panel, int64_t k, int64_t column) {
    return panel.paired ? (k / 2 * panel.columns + column) * 2 + k % 2 : k * panel.columns + column;
  }
  /// Without denormals (isa/denormals.h).
  static float flushed(float value) { return (std::bit_cast<uint32_t>(value) & 0x7f800000U) == 0 ? 0.0F : value; }

  static void pack(const cpu::GemmShape& shape, const cpu::GemmSource& source, float* packed, int64_t begin,
                   int64_t end) {
    const int64_t inner = std::max<int64_t>(source.inner, 1);
    for (int64_t p = begin; p < end; ++p) {
      const Panel panel = panel_at(shape.columns, p);
      float* to = packed + start_of(shape, p);
      std::fill_n(to, shape.taps * tap_floats(panel, shape.depth), 0.0F * source.scale);
      for (int64_t t = 0; t < shape.taps; ++t, to += tap_floats(panel, shape.depth)) {
        const float* from = source.data + (source.tap_offsets == nullptr ? 0 : source.tap_offsets[t]);
        for (int64_t k = 0; k < shape.depth; ++k) {
          const float* row = from + k / inner * source.join_stride + k % inner * source.inner_stride;
          for (int64_t c = 0; c < std::min(panel.columns, shape.columns - panel.first); ++c) {
            to[place(panel, k, c)] = flushed(row[(panel.first + c) * source.column_stride]) * source.scale;
          }
        }
      }
    }
  }

  static bool sums_wait_in_c(const cpu::GemmCall& call) {
    // isa/gemm_rows.h: rows that are copied, block by block.
    const int64_t stride = call.image == nullptr ? call.a_stride : call.image->stride_x * call.image->in_channels;
    const bool far = stride % 1024 == 0 && call.shape.depth >= 32;
    if (kTileRows > 8 && call.shape.taps == 1 && (call.shape.depth > 1536 || far)) return call.shape.depth > 384;
    return call.shape.taps > 64;
  }

  static const cpu::GemmFunctions& here() { return cpu::gemm_table(cpu::this_machine().isa()); }

  /// Of all groups, the panels that have been asked for.
  static void run(const cpu::GemmCall& call, int64_t row_begin, int64_t row_end, int64_t begin, int64_t end) {
    const int64_t depth = call.shape.depth;
    const int64_t columns = call.shape.columns;
    const int64_t each = panels(columns);
    const int64_t each_here = here().panels(columns);
    const int64_t floats_here = here().packed_floats(call.shape);
    const int64_t parts = each_here == 0 ? 0 : kColumns / columns_here();
    std::vector<float> packed(static_cast<size_t>(floats_here * call.groups));
    std::vector<float> dense(static_cast<size_t>(call.shape.taps * depth * columns));
    std::vector<int64_t> taps(static_cast<size_t>(call.shape.taps));
    for (int64_t t = 0; t < call.shape.taps; ++t) taps[static_cast<size_t>(t)] = t * depth * columns;
    cpu::GemmCall same = call;
    same.packed = packed.data();
    for (int64_t p = begin; p < end; ++p) {
      const int64_t group = p / each;
      const Panel panel = panel_at(columns, p % each);
      const float* from = call.packed + group * packed_floats(call.shape) + start_of(call.shape, p % each);
      for (int64_t t = 0; t < call.shape.taps; ++t, from += tap_floats(panel, depth)) {
        for (int64_t k = 0; k < depth; ++k) {
          for (int64_t c = 0; c < std::min(panel.columns, columns - panel.first); ++c) {
            dense[static_cast<size_t>((t * depth + k) * columns + panel.first + c)] = from[place(panel, k, c)];
          }
        }
      }
      const int64_t first = p % each * parts;
      const int64_t last = std::min(first + parts, each_here);
      const cpu::GemmSource source{.data = dense.data(),
                                   .tap_offsets = taps.data(),
                                   .inner = depth,
                                   .inner_stride = columns,
                                   .column_stride = 1};
      here().pack(call.shape, source, packed.data() + group * floats_here, first, last);
      here().run(same, row_begin, row_end, group * each_here + first, group * each_here + last);
    }
  }
  static int64_t columns_here() { return here().narrow->panel_columns; }

  static float widened(const cpu::NarrowMatrix& b, int64_t depth, int64_t p, int64_t k, int64_t c) {
    const int64_t row = p * depth + k;
    const auto* bytes = static_cast<const uint8_t*>(b.panels);
    uint16_t bits = 0;
    std::memcpy(&bits, bytes + (bits_of(b.type) == 16 ? (row * kColumns + c) * 2 : 0), sizeof(bits));
    if (b.type == cpu::NarrowType::kFloat16) return Float16::to_float(bits);
    if (b.type == cpu::NarrowType::kBfloat16) return std::bit_cast<float>(uint32_t{bits} << 16U);
    const float scale = b.scales == nullptr ? 1 : b.scales[k / b.group * b.scale_stride + p * kColumns + c];
    if (b.type == cpu::NarrowType::kInt8)
      return static_cast<float>(static_cast<int8_t>(bytes[row * kColumns + c])) * scale;
    const int both = bytes[row * kLanes + c % kLanes];
    return static_cast<float>((c < kLanes ? both & 15 : both >> 4) - 8) * scale;
  }
  static void widen(const cpu::NarrowMatrix& b, int64_t depth, int64_t begin, int64_t end, float* to) {
    for (int64_t p = begin; p < end; ++p) {
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t c = 0; c < kColumns; ++c) *to++ = widened(b, depth, p, k, c);
      }
    }
  }
  static void run_narrow(const cpu::GemmCall& call, const cpu::NarrowMatrix& b, int64_t row_begin, int64_t row_end,
                         int64_t begin, int64_t end) {
    std::vector<float> panels(static_cast<size_t>((end - begin) * call.shape.depth * kColumns));
    widen(b, call.shape.depth, begin, end, panels.data());
    cpu::GemmCall same = call;
    same.packed = panels.data() - start_of(call.shape, begin);
    run(same, row_begin, row_end, begin, end);
  }

  static constexpr cpu::NarrowFunctions kNarrow = {kColumns, kLanes == 4 ? nullptr : run_narrow, widen};
  static constexpr cpu::GemmFunctions kFunctions = {panels,         tile_rows, packed_floats, pack,
                                                    sums_wait_in_c, run,       &kNarrow};
};

using PanelsSse2 = Panels<4, 4, 0>;
using PanelsAvx2 = Panels<8, 6, 0>;
using PanelsAvx512 = Panels<16, 12, 9>;

// ---- filters of one channel each

template <int64_t kLanes>
struct Channels {
  static int64_t packed_floats(int64_t taps, int64_t channels) { return taps * rounded_up(channels, kLanes); }
  static void pack(const float* weights, int64_t taps, int64_t channels, float* packed) {
    std::fill_n(packed, packed_floats(taps, channels), 0.0F);
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t c = 0; c < channels; ++c) {
        packed[t * rounded_up(channels, kLanes) + c] = PanelsSse2::flushed(weights[c * taps + t]);
      }
    }
  }
  static void run(const cpu::DepthwiseCall& call, int64_t begin, int64_t end) {
    const cpu::DepthwiseFunctions& here = cpu::depthwise_table(cpu::this_machine().isa());
    const int64_t taps = call.kernel_h * call.kernel_w;
    std::vector<float> weights(static_cast<size_t>(taps * call.channels));
    for (int64_t t = 0; t < taps; ++t) {
      for (int64_t c = 0; c < call.channels; ++c) {
        weights[static_cast<size_t>(c * taps + t)] = call.packed[t * rounded_up(call.channels, kLanes) + c];
      }
    }
    std::vector<float> packed(static_cast<size_t>(here.packed_floats(taps, call.channels)));
    here.pack(weights.data(), taps, call.channels, packed.data());
    cpu::DepthwiseCall same = call;
    same.packed = packed.data();
    here.run(same, begin, end);
  }
  static constexpr cpu::DepthwiseFunctions kFunctions = {packed_floats, pack, run};
};

}  // namespace

const cpu::GemmFunctions& plain_gemm(Isa isa) {
  if (isa == Isa::kAvx512) return PanelsAvx512::kFunctions;
  return isa == Isa::kAvx2 ? PanelsAvx2::kFunctions : PanelsSse2::kFunctions;
}

const cpu::DepthwiseFunctions& plain_depthwise(Isa isa) {
  if (isa == Isa::kAvx512) return Channels<16>::kFunctions;
  return isa == Isa::kAvx2 ? Channels<8>::kFunctions : Channels<4>::kFunctions;
}

}  // namespace coracle::internal::test

#endif
