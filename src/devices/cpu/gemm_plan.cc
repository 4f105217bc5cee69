// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/gemm_plan.h"

#include <algorithm>
#include <new>

#include "devices/cpu/float_constant.h"
#include "devices/cpu/processor.h"
#include "devices/cpu/product_work.h"

namespace coracle::internal::cpu {
namespace {

/// Rows and panels that a thread should have at least: with fewer rows, the micro-kernels' tiles are thin.
constexpr int64_t kLeastRows = 24;
constexpr int64_t kLeastPanels = 4;
/// Packed floats that are worth a thread.
constexpr int64_t kPackGrain = 16 << 10;
/// Multiplications below which a part is not worth a thread.
constexpr int64_t kGemmGrain = 256 << 10;
/// What finding a row and finishing its results takes, in multiplications.
constexpr int64_t kRowCost = 256;
/// A grid has to make the largest part so much smaller, as its parts read both operands in pieces.
constexpr double kBalanced = 0.93;
/// Rows of a part of a grid.
constexpr int64_t kLeastGridRows = 12;

/// With fewer, reading the larger packed weights takes the time.
constexpr int64_t kLeastTileRows = 16;

/// With fewer columns, or shorter sums, rounding the rows takes as long as is saved.
constexpr int64_t kLeastDotSide = 64;

int64_t whole(int64_t count, int64_t of) { return (count + of - 1) / of * of; }

/// How long the largest part of a grid takes, in multiplications for each element of depth.
class GridPart {
 public:
  GridPart(int64_t tile_rows, int64_t row_unit, int64_t panel_columns)
      : tile_rows_(tile_rows), row_unit_(row_unit), panel_columns_(panel_columns) {}

  double cost(int64_t rows, int64_t panels, int64_t row_parts, int64_t panel_parts) const {
    const int64_t units = (rows + row_unit_ - 1) / row_unit_;
    const int64_t most_rows = (units + row_parts - 1) / row_parts * row_unit_;
    const int64_t most_panels = (panels + panel_parts - 1) / panel_parts;
    const int64_t tiles = (most_rows + tile_rows_ - 1) / tile_rows_;
    const int64_t multiplied = std::max(most_rows, tiles * kLeastInTile);
    return static_cast<double>((multiplied + kRead) * most_panels * panel_columns_ + kRead * most_rows);
  }

 private:
  /// Fewer rows in a tile take as long, since each sum waits for its last one.
  static constexpr int64_t kLeastInTile = 4;
  /// Multiplications in the time that reading one number takes, from a cache that threads share.
  static constexpr int64_t kRead = 4;

  const int64_t tile_rows_;
  const int64_t row_unit_;
  const int64_t panel_columns_;
};

}  // namespace

[[gnu::noinline]] const TileGemmFunctions& machine_tile_gemm() {
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  if (processor().has(Capability::kAmx)) return amx::tile_gemm;
#endif
  return tile_gemm_table(Isa::kAny);
}

#ifdef CORACLE_LIGHT  // has no kernels on matrix tiles
const GemmFunctions& gemm_table(Isa isa, ComputeMode /*mode*/) { return gemm_table(isa); }
#else
[[gnu::noinline]] const GemmFunctions& gemm_table(Isa isa, ComputeMode mode) {
#if defined(__x86_64__) && !defined(CORACLE_WITHOUT_AVX512)
  if (is_by_dots(mode)) return avx512::tile_gemm.bf16_dots;
#endif
#if defined(__aarch64__) && !defined(CORACLE_WITHOUT_NEON)
  if (is_by_dots(mode)) return neon_bf16::tile_gemm.bf16_dots;
#endif
  switch (mode) {
    case ComputeMode::kBf16x6: return machine_tile_gemm().x6;
    case ComputeMode::kBf16x3: return machine_tile_gemm().x3;
    case ComputeMode::kBf16: return machine_tile_gemm().bf16;
    default: return gemm_table(isa);
  }
}
#endif

bool is_by_dots(ComputeMode mode) {
#if defined(__x86_64__)
  return mode == ComputeMode::kBf16 && !processor().has(Capability::kAmx) && processor().has(Capability::kAvx512Bf16);
#else
  return mode == ComputeMode::kBf16 && processor().has(Capability::kNeonBf16);
#endif
}

GemmCall bound(const GemmPlan& plan, const float* a, const float* packed, float* c, const EpilogueOp* ops,
               int op_count) {
  GemmCall call = plan.call;
  call.a = a;
  if (packed != nullptr) call.packed = packed + plan.packed_offset;
  call.c = c;
  call.epilogue = ops;
  call.epilogue_size = op_count;
  if (plan.has_image) {
    call.image = &plan.image;
    call.zeros = plan.zeros.data();
  }
  return call;
}

RejectionReason mode_rejection(ComputeMode mode, int64_t rows, const GemmShape& shape) {
  constexpr int64_t kSide = 16;
  constexpr int64_t kDepth = 32;
  if (mode == ComputeMode::kFloat32) return nullptr;
  if (rows < kLeastTileRows) return "too few rows for matrix tiles";
  const int64_t depth = shape.taps * shape.depth;
  const int64_t used = rows * shape.columns * depth;
  if (whole(rows, kSide) * whole(shape.columns, kSide) * whole(depth, kDepth) > 2 * used) {
    return "too narrow for matrix tiles";
  }
  if (is_by_dots(mode) && (shape.columns < kLeastDotSide || depth < kLeastDotSide)) return "too narrow to be rounded";
  return nullptr;
}

int residual_in_place(const GemmFunctions& gemm, const GemmPlan& plan, const EpilogueProgram& epilogue) {
  GemmCall call = plan.call;
  if (plan.has_image) call.image = &plan.image;
  return gemm.sums_wait_in_c(call) ? -1 : epilogue.whole_tensor(2);
}

void GemmForm::pack(std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
                    const RunContext& context) const {
  const FloatConstant from(*constants[0], static_cast<Isa>(choice.isa), pool, context);
  pack_matrices(from.data(), reinterpret_cast<float*>(to), pool);
}

void GemmForm::pack_matrices(const float* from, float* to, ThreadPool& pool) const {
  const GemmFunctions& gemm = choice.table();
  std::vector<int64_t> tap_offsets(static_cast<size_t>(taps));
  for (int64_t t = 0; t < taps; ++t) tap_offsets[static_cast<size_t>(t)] = t * tap_stride;
  const GemmSource whole{.data = from,
                         .tap_offsets = tap_offsets.data(),
                         .inner = inner,
                         .join_stride = join_stride,
                         .inner_stride = inner_stride,
                         .column_stride = column_stride};
  const int64_t size = gemm.packed_floats(shape());
  const int64_t panels = gemm.panels(columns);
  const int64_t grain = std::max<int64_t>(kPackGrain * panels / std::max<int64_t>(size, 1), 1);
  pool.parallel_for(groups * panels, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t group = begin / panels;
      const int64_t last = std::min(end, (group + 1) * panels);
      GemmSource source = whole;
      source.data += group * group_stride;
      gemm.pack(shape(), source, to + group * size, begin - group * panels, last - group * panels);
      begin = last;
    }
  });
}

GemmSplit split_of(const GemmFunctions& gemm, const GemmPlan& plan, int threads) {
  if (threads == 1) return {};
  const GemmShape& shape = plan.call.shape;
  const int64_t panels = std::max<int64_t>(plan.panels, 1);
  const int64_t columns = whole_vectors(shape.columns) * plan.call.groups;
  const int64_t row_cost = shape.taps * shape.depth * columns + kRowCost;
  const int64_t panel_cost = std::max<int64_t>(row_cost / panels * std::max(plan.rows, kWaitingRows), 1);
  const bool many_panels = panels >= kLeastPanels * threads;
  const bool many_rows = plan.rows >= kLeastRows * threads;
  if (many_rows && !(many_panels && shape.columns * shape.taps > 4 * plan.rows)) {
    return {.by_rows = true, .grain = std::max(kGemmGrain / row_cost, kLeastRows)};
  }
  GemmSplit split{.by_rows = false, .grain = kGemmGrain / panel_cost + 1};
  // What threads wait for most is the one with the largest part.
  const int64_t worth = std::clamp<int64_t>(panel_cost * panels / kGemmGrain, 1, threads);
  const int64_t by_panels = std::min(worth, std::max<int64_t>(panels / split.grain, 1));
  // Matrix tiles have 16 rows whether they are there or not.
  constexpr int64_t kTileSide = 16;
  const int64_t tile_rows = gemm.tile_rows(shape.columns);
  split.row_unit = tile_rows > kTileSide ? kTileSide : 1;
  const GridPart part(tile_rows, split.row_unit, columns / panels);
  const double most = part.cost(plan.rows, panels, 1, by_panels);
  if (most * static_cast<double>(worth) * kBalanced <= part.cost(plan.rows, panels, 1, 1)) return split;
  double least = most * kBalanced;
  for (int64_t row_parts = 2; row_parts <= std::min(worth, plan.rows / kLeastGridRows); ++row_parts) {
    const int64_t panel_parts = std::min(worth / row_parts, panels);
    const double cost = part.cost(plan.rows, panels, row_parts, panel_parts);
    if (cost >= least) continue;
    least = cost;
    split.row_parts = row_parts;
    split.panel_parts = panel_parts;
  }
  return split;
}

void run_gemm(const GemmFunctions& gemm, const GemmPlan& plan, const float* a, const float* packed, float* c,
              const EpilogueOp* ops, int op_count, ThreadPool& pool) noexcept {
  const GemmCall call = bound(plan, a, packed, c, ops, op_count);
  const GemmSplit split = split_of(gemm, plan, pool.threads());
  if (split.row_parts > 1) {
    const auto first = [](int64_t part, int64_t parts, int64_t count) { return count * part / parts; };
    const int64_t units = (plan.rows + split.row_unit - 1) / split.row_unit;
    const auto first_row = [&](int64_t part) {
      return std::min(plan.rows, first(part, split.row_parts, units) * split.row_unit);
    };
    pool.parallel_for(split.row_parts * split.panel_parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t row_part = i / split.panel_parts;
        const int64_t panel_part = i % split.panel_parts;
        gemm.run(call, first_row(row_part), first_row(row_part + 1), first(panel_part, split.panel_parts, plan.panels),
                 first(panel_part + 1, split.panel_parts, plan.panels));
      }
    });
    return;
  }
  if (split.by_rows) {
    pool.parallel_for(plan.rows, split.grain,
                      [&](int64_t begin, int64_t end) { gemm.run(call, begin, end, 0, plan.panels); });
    return;
  }
  pool.parallel_for(plan.panels, split.grain,
                    [&](int64_t begin, int64_t end) { gemm.run(call, 0, plan.rows, begin, end); });
}

void run_gemm_rows(const GemmFunctions& gemm, const GemmPlan& plan, const float* a, const float* packed, float* c,
                   const EpilogueOp* ops, int op_count, int64_t begin, int64_t end) noexcept {
  gemm.run(bound(plan, a, packed, c, ops, op_count), begin, end, 0, plan.panels);
}

}  // namespace coracle::internal::cpu
