// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/narrow_gemm.h"

#include <algorithm>

#include "base/buffer.h"
#include "devices/cpu/bands.h"
#include "devices/cpu/isa/convert.h"

namespace coracle::internal::cpu {
namespace {

/// Floats that a thread widens at a time: they should stay in its level-2 cache.
constexpr int64_t kBlockFloats = 64 << 10;
constexpr size_t kLine = 64;

size_t whole_lines(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

NumberType narrow_number(NarrowType type) {
  switch (type) {
    case NarrowType::kFloat16: return NumberType::kFloat16;
    case NarrowType::kBfloat16: return NumberType::kBfloat16;
    default: return NumberType::kInt8;
  }
}

}  // namespace

NarrowType narrow_type_of(DType dtype) {
  if (dtype == DType::kInt8) return NarrowType::kInt8;
  return dtype == DType::kFloat16 ? NarrowType::kFloat16 : NarrowType::kBfloat16;
}

NarrowLayout::NarrowLayout(const GemmFunctions& gemm, const GemmShape& shape, NarrowType of, int64_t scale_count)
    : type(of), scales(scale_count) {
  const int64_t width = gemm.narrow->panel_columns;
  full = shape.columns / width;
  panel_floats = gemm.packed_floats({shape.taps, shape.depth, width});
  tail_floats = gemm.packed_floats({shape.taps, shape.depth, shape.columns % width});
  panel_bytes = static_cast<size_t>(panel_floats) * static_cast<size_t>(bits_of(type)) / 8;
  tail_at = whole_lines(static_cast<size_t>(full) * panel_bytes);
  scales_at = whole_lines(tail_at + static_cast<size_t>(tail_floats) * sizeof(float));
}

/// Each thread takes some columns of the matrix as float32, has them packed, and makes them narrow again.
void NarrowForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
                      const RunContext& context) const {
  const NarrowLayout at = layout();
  const GemmFunctions& gemm = matrix.choice.table();
  const ConvertFunctions& numbers = convert_table(static_cast<Isa>(matrix.choice.isa));
  const NumberType number = narrow_number(at.type);
  const auto* from = static_cast<const std::byte*>(constants[0]->raw());
  const size_t element = size_of(constants[0]->dtype());
  const int64_t width = gemm.narrow->panel_columns;
  const int64_t panels = at.full + (at.tail_floats > 0 ? 1 : 0);
  const int64_t all = matrix.taps * matrix.depth;
  const bool by_rows = matrix.column_stride == 1;
  std::vector<int64_t> tap_offsets(static_cast<size_t>(matrix.taps));
  for (int64_t t = 0; t < matrix.taps; ++t) tap_offsets[static_cast<size_t>(t)] = t * matrix.tap_stride;
  const int64_t bands = std::min<int64_t>(pool.threads(), panels);
  const int64_t floats = all * width + at.panel_floats;
  Buffer<float> room(static_cast<size_t>(bands * floats), context);
  for_bands(pool, panels, bands, [&](int64_t band, int64_t begin, int64_t end) {
    float* const columns = room.data() + band * floats;
    float* const packed = columns + all * width;
    for (int64_t p = begin; p < end; ++p) {
      const bool is_full = p < at.full;
      const int64_t count = is_full ? width : matrix.columns - p * width;
      GemmSource source{.data = columns,
                        .tap_offsets = tap_offsets.data(),
                        .inner = matrix.inner,
                        .join_stride = matrix.join_stride,
                        .inner_stride = matrix.inner_stride,
                        .column_stride = matrix.column_stride};
      if (by_rows) {
        source.inner_stride = count;
        for (int64_t k = 0; k < all; ++k) {
          numbers.convert(number, NumberType::kFloat32,
                          from + static_cast<size_t>(k * matrix.inner_stride + p * width) * element,
                          columns + k * count, static_cast<size_t>(count));
        }
      } else {
        numbers.convert(number, NumberType::kFloat32,
                        from + static_cast<size_t>(p * width * matrix.column_stride) * element, columns,
                        static_cast<size_t>(count * matrix.column_stride));
      }
      const GemmShape part{matrix.taps, matrix.depth, count};
      float* const tail = reinterpret_cast<float*>(to + at.tail_at);
      gemm.pack(part, source, is_full ? packed : tail, 0, 1);
      if (is_full) {
        numbers.convert(NumberType::kFloat32, number, packed, to + static_cast<size_t>(p) * at.panel_bytes,
                        static_cast<size_t>(at.panel_floats));
      }
    }
  });
}

NarrowPlan::NarrowPlan(const GemmFunctions& g, GemmPlan p, const NarrowLayout& l)
    : gemm(&g), plan(std::move(p)), layout(l) {
  block = std::clamp<int64_t>(kBlockFloats / std::max<int64_t>(layout.panel_floats, 1), 1,
                              std::max<int64_t>(layout.full, 1));
}

bool NarrowPlan::widens_in_registers() const {
  return gemm->narrow->run != nullptr && !plan.has_image && plan.call.shape.taps == 1 && plan.rows <= kFewNarrowRows;
}

size_t NarrowPlan::workspace(int threads) const {
  return widens_in_registers() ? 0 : static_cast<size_t>(threads * block * layout.panel_floats) * sizeof(float);
}

void NarrowPlan::run_blocks(const GemmCall& call, const NarrowMatrix& matrix, const float* tail, float* room,
                            int64_t row_begin, int64_t row_end, int64_t panel_begin, int64_t panel_end) const {
  GemmCall part = call;
  const auto at = [&](const float* panels, int64_t first) {
    part.packed = panels - first * layout.panel_floats;
    return part;
  };
  const int64_t depth = call.shape.taps * call.shape.depth;
  for (int64_t p = panel_begin; p < std::min(panel_end, layout.full); p += block) {
    const int64_t end = std::min({p + block, panel_end, layout.full});
    gemm->narrow->widen(matrix, depth, p, end, room);
    gemm->run(at(room, p), row_begin, row_end, p, end);
  }
  if (panel_end > layout.full) gemm->run(at(tail, layout.full), row_begin, row_end, layout.full, panel_end);
}

void NarrowPlan::run(const float* a, const void* packed, float* c, const EpilogueOp* ops, int op_count, void* workspace,
                     ThreadPool& pool) const noexcept {
  const GemmCall call = bound(plan, a, nullptr, c, ops, op_count);
  const auto* const bytes = static_cast<const std::byte*>(packed);
  const auto* const tail = reinterpret_cast<const float*>(bytes + layout.tail_at);
  const auto* const scales = layout.scales == 0 ? nullptr : reinterpret_cast<const float*>(bytes + layout.scales_at);
  const NarrowMatrix matrix{
      .type = layout.type, .panels = packed, .scales = scales, .group = group, .scale_stride = call.shape.columns};
  const int64_t panels = plan.panels;
  const GemmSplit split = split_of(*gemm, plan, pool.threads());  // few rows are split by panels
  if (widens_in_registers()) {
    pool.parallel_for(panels, split.grain, [&](int64_t begin, int64_t end) {
      const int64_t whole = std::min(end, layout.full);
      if (begin < whole) gemm->narrow->run(call, matrix, 0, plan.rows, begin, whole);
      if (end > layout.full) run_blocks(call, matrix, tail, nullptr, 0, plan.rows, layout.full, end);
    });
    return;
  }
  // Each thread has its room.
  const bool by_rows = split.by_rows;
  const int64_t count = by_rows ? plan.rows : panels;
  const int64_t bands = std::clamp<int64_t>(count / split.grain, 1, pool.threads());
  const int64_t room = block * layout.panel_floats;
  for_bands(pool, count, bands, [&](int64_t band, int64_t begin, int64_t end) {
    float* const mine = static_cast<float*>(workspace) + band * room;
    run_blocks(call, matrix, tail, mine, by_rows ? begin : 0, by_rows ? end : plan.rows, by_rows ? 0 : begin,
               by_rows ? panels : end);
  });
}

}  // namespace coracle::internal::cpu
