// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/tile_cost.h"

#include <array>

#include "devices/cpu/gemm_plan.h"

namespace coracle::cpu {
namespace {

/// Of a scheme: cycles for a block of 32 rows by 32 columns.
struct SchemeCost {
  double step = 0;   ///< of 32 numbers along the depth
  double split = 0;  ///< for 16 numbers that become parts
};
/// By ComputeMode. Splitting was measured alone.
constexpr std::array<SchemeCost, 4> kSchemes = {{{}, {1550, 8.2}, {980, 5}, {420, 1.5}}};
constexpr double kTileBlock = 2000;  ///< sums to memory and through the epilogue, rows gathered

/// Multiply-adds: 1.83 of 16 numbers a cycle at most, four fifths of it where panels are full.
constexpr double kVectorRate = 1.83 * 16 * 2 * 0.8;
constexpr double kVectorBlock = 1000;   ///< as kTileBlock
constexpr double kPack = 3;             ///< for 16 numbers of a right matrix
constexpr int64_t kSplitColumns = 768;  ///< rows are split once for so many

constexpr double blocks(int64_t count, int64_t of) {
  const int64_t whole = (count + of - 1) / of;
  return static_cast<double>(whole);
}

}  // namespace

std::optional<CostEstimate> tile_cost(ComputeMode mode, const TileProduct& product) {
  if (mode == ComputeMode::kFloat32 || is_by_dots(mode)) return std::nullopt;
  const SchemeCost& scheme = kSchemes[static_cast<size_t>(mode)];
  const auto [taps, tap_depth, columns] = product.shape;
  const int64_t depth = taps * tap_depth;
  const auto numbers = [](int64_t a, int64_t b) { return static_cast<double>(a) * static_cast<double>(b) / 16; };

  const double tile_blocks = blocks(product.rows, 32) * blocks(columns, 32);
  double tiles = tile_blocks * (blocks(depth, 32) * scheme.step + kTileBlock) +
                 numbers(product.rows, depth) * scheme.split * blocks(columns, kSplitColumns);

  const double width = blocks(columns, 16) * 16;
  const double operations = 2.0 * static_cast<double>(product.rows) * width * static_cast<double>(depth);
  double vectors = operations * product.vector_share / (product.vector_rate > 0 ? product.vector_rate : kVectorRate) +
                   static_cast<double>(product.rows) * width / (32 * 32) * kVectorBlock;
  if (product.packs) {
    tiles += numbers(depth, columns) * (scheme.split + kPack);
    vectors += numbers(depth, columns) * kPack;
  }
  return CostEstimate{.own = tiles * product.count, .others = vectors * product.count};
}

std::optional<CostEstimate> sum_of(const std::optional<CostEstimate>& a, const std::optional<CostEstimate>& b) {
  if (!a || !b) return std::nullopt;
  return CostEstimate{.own = a->own + b->own, .others = a->others + b->others};
}

}  // namespace coracle::cpu
