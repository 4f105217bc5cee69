// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/tile_cost.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "devices/cpu/gemm_plan.h"

namespace coracle::internal::cpu {
namespace {

/// What a scheme takes, in cycles.
struct SchemeCost {
  int64_t parts = 0;
  int64_t pairs = 0;   ///< of parts that are multiplied
  double product = 0;  ///< of two tiles, with the loads that it waits for; 19 without any
  double split = 0;    ///< for 16 numbers that become parts
  double cut = 0;      ///< for fewer than 16, at the end of a tap
};
/// By ComputeMode.
constexpr std::array<SchemeCost, 4> kSchemes = {{{}, {3, 6, 41, 20, 30}, {2, 3, 44, 16, 25}, {1, 1, 70, 5, 12}}};
constexpr double kLocate = 44;    ///< where a row of the left matrix begins, for each tap and each part of the sums
constexpr double kSums = 9;       ///< a row of 32 sums to memory, or through the epilogue
constexpr double kTileLine = 25;  ///< 64 bytes of packed weights

// As in tile_gemm.cc: multiplications along the depth before sums are set aside, and columns for which rows are split
// once.
constexpr int64_t kTileWidth = 16;
constexpr int64_t kTileSteps = 32;
constexpr int64_t kPartSteps = 24;  ///< for one part
constexpr int64_t kSplitColumns = 768;
constexpr int64_t kLeastMeasuredRows = 32;  ///< products of fewer were not measured

/// Multiply-adds of 16 numbers: 1.83 a cycle at most, 1.62 in a kernel.
constexpr double kVectorRate = 1.62 * 16 * 2;
constexpr double kVectorSums = 2.9;  ///< 16 sums to memory and through the epilogue
constexpr double kVectorLine = 20;   ///< 64 bytes of packed weights
constexpr double kPack = 3;          ///< for 16 numbers of a right matrix

constexpr int64_t parts_of(int64_t count, int64_t of) { return (count + of - 1) / of; }

/// Vectors of a row of the left matrix: whole ones of 16 numbers, and those cut by the end of a tap or of a tile.
struct RowVectors {
  int64_t whole = 0;
  int64_t cut = 0;
};
RowVectors vectors_of(const GemmShape& shape) {
  RowVectors vectors;
  int64_t k = 0;
  // Where taps begin in a tile repeats after at most kTileSteps of them.
  const int64_t counted = std::min(shape.taps, kTileSteps);
  for (int64_t t = 0; t < counted; ++t) {
    const int64_t end = k + shape.depth;
    const auto add = [&](int64_t count) {
      vectors.whole += count / kTileWidth;
      vectors.cut += count % kTileWidth != 0 ? 1 : 0;
      k += count;
    };
    if (k % kTileSteps != 0) add(std::min(end - k, kTileSteps - k % kTileSteps));
    add((end - k) / kTileSteps * kTileSteps);
    add(end - k);
  }
  if (counted < shape.taps) {
    vectors.whole = vectors.whole * shape.taps / counted;
    vectors.cut = vectors.cut * shape.taps / counted;
  }
  return vectors;
}

double product_of(std::initializer_list<int64_t> factors) {
  double product = 1;
  for (int64_t f : factors) product *= static_cast<double>(f);
  return product;
}

/// One product on tiles, without its weights.
double cycles_on_tiles(const SchemeCost& scheme, int64_t rows, const GemmShape& shape) {
  const int64_t steps = parts_of(shape.taps * shape.depth, kTileSteps);
  const int64_t parts_of_sums = parts_of(steps, kPartSteps / scheme.parts);
  const int64_t splits = parts_of(shape.columns, kSplitColumns);
  const RowVectors row = vectors_of(shape);
  // A block of 16 rows waits for the same tiles of weights as one of 32.
  const int64_t blocks = parts_of(rows, 2 * kTileWidth);
  const double multiplying =
      product_of({2 * blocks, parts_of(shape.columns, kTileWidth), steps, scheme.pairs}) * scheme.product;
  const double splitting = product_of({rows, splits}) *
                           (static_cast<double>(row.whole) * scheme.split + static_cast<double>(row.cut) * scheme.cut +
                            static_cast<double>(shape.taps + parts_of_sums) * kLocate);
  const double sums =
      product_of({blocks * 2 * kTileWidth, parts_of(shape.columns, 2 * kTileWidth), parts_of_sums}) * kSums;
  return multiplying + splitting + sums;
}

}  // namespace

std::optional<CostEstimate> tile_cost(ComputeMode mode, const TileProduct& product) {
  if (mode == ComputeMode::kFloat32 || is_by_dots(mode)) return std::nullopt;
  const SchemeCost& scheme = kSchemes[static_cast<size_t>(mode)];
  const GemmShape& shape = product.shape;
  const int64_t depth = shape.taps * shape.depth;
  const bool is_product = product.vector_rate == 0;
  const double width = static_cast<double>(parts_of(shape.columns, kTileWidth) * kTileWidth);
  const double operations = 2 * product_of({product.rows, depth}) * width;

  double tiles = cycles_on_tiles(scheme, product.rows, shape);
  double vectors = operations * product.vector_share / (is_product ? kVectorRate : product.vector_rate) +
                   static_cast<double>(product.rows) * width / kTileWidth * kVectorSums;
  if (product.packs) {
    const double numbers = product_of({depth, shape.columns}) / kTileWidth;
    tiles += numbers * (scheme.split + kPack);
    vectors += numbers * kPack;
  }
  tiles *= product.count;
  vectors *= product.count;
  if (!product.packs) {
    const double filters = product.filters > 0 ? product.filters : product.count;
    constexpr double kLineBytes = 64;
    const int64_t packed = parts_of(depth, kTileSteps) * kTileSteps * parts_of(shape.columns, 2 * kTileWidth) * 2 *
                           kTileWidth * 2 * scheme.parts;
    tiles += static_cast<double>(packed) / kLineBytes * kTileLine * filters;
    if (is_product) vectors += product_of({depth, shape.columns, 4}) / kLineBytes * kVectorLine * filters;
  }
  // What is not known does not pay.
  if (product.rows < kLeastMeasuredRows) tiles = std::max(tiles, vectors);
  return CostEstimate{.own = tiles, .others = vectors};
}

std::optional<CostEstimate> sum_of(const std::optional<CostEstimate>& a, const std::optional<CostEstimate>& b) {
  if (!a || !b) return std::nullopt;
  return CostEstimate{.own = a->own + b->own, .others = a->others + b->others};
}

}  // namespace coracle::internal::cpu
