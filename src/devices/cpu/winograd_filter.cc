// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/winograd_filter.h"

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "devices/cpu/bands.h"
#include "devices/cpu/float_constant.h"
#include "devices/cpu/isa/winograd.h"

namespace coracle::internal::cpu {

/// Each thread transforms the filters of some output channels, as many as a panel has, and packs them for each point.
void WinogradFilter::pack(const GemmForm& product, std::span<const Tensor* const> constants, std::byte* to,
                          ThreadPool& pool, const RunContext& context) const {
  const auto isa = static_cast<Isa>(product.choice.isa);
  const FloatConstant filter(*constants[0], isa, pool, context);
  auto* const packed = reinterpret_cast<float*>(to);
  const GemmFunctions& gemm = product.choice.table();
  const int64_t depth = product.depth;
  const int64_t parts = product.taps;
  int64_t columns = 1;  // of a panel
  while (columns < product.columns && gemm.panels(columns + 1) == 1) ++columns;
  const int64_t panel_floats = gemm.packed_floats({parts, depth, columns});
  const int64_t point_floats = gemm.packed_floats(product.shape());
  const int64_t panels = gemm.panels(product.columns);
  const int64_t bands = std::min<int64_t>(pool.threads(), panels);
  const int64_t part_floats = points() * columns * depth;
  const int64_t floats = parts * part_floats + (parts > 1 ? 9 * columns * depth : 0);
  std::vector<int64_t> offsets(static_cast<size_t>(parts));
  for (int64_t t = 0; t < parts; ++t) offsets[static_cast<size_t>(t)] = t * part_floats;
  Buffer<float> room(static_cast<size_t>(bands * floats), context);
  for_bands(pool, panels, bands, [&](int64_t band, int64_t begin, int64_t end) {
    float* const transformed = room.data() + band * floats;
    for (int64_t p = begin; p < end; ++p) {
      const int64_t pairs = std::min(columns, product.columns - p * columns) * depth;
      const float* const from = filter.data() + height * width * p * columns * depth;
      for (int64_t t = 0; t < parts; ++t) {
        const float* const part = part_of(from, pairs, t, transformed + parts * part_floats);
        winograd_table(isa).transform_filter(tile, part, pairs, pairs, transformed + t * part_floats);
      }
      for (int64_t point = 0; point < points(); ++point) {
        const GemmSource source{.data = transformed + point * pairs,
                                .tap_offsets = offsets.data(),
                                .inner = depth,
                                .inner_stride = 1,
                                .column_stride = depth};
        gemm.pack({parts, depth, pairs / depth}, source, packed + point * point_floats + p * panel_floats, 0, 1);
      }
    }
  });
}

/// 3x3 taps for each of `pairs` pairs of channels.
const float* WinogradFilter::part_of(const float* filter, int64_t pairs, int64_t part, float* room) const {
  if (height == 3 && width == 3) return filter;
  const int64_t top = part / parts_w() * 3;
  const int64_t left = part % parts_w() * 3;
  float* to = room;
  for (int64_t i = 0; i < pairs; ++i, filter += height * width) {
    for (int64_t y = top; y < top + 3; ++y) {
      for (int64_t x = left; x < left + 3; ++x) *to++ = y < height && x < width ? filter[y * width + x] : 0.0F;
    }
  }
  return room;
}

}  // namespace coracle::internal::cpu
