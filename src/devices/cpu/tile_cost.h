// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "devices/cpu/compute_mode.h"
#include "devices/cpu/isa/gemm.h"
#include "plan/kernel.h"

/// What products take on matrix tiles and by multiply-adds, so that a layer goes to tiles only where that is faster.
///
/// A product on tiles takes what its parts take: products of tiles, splitting rows, finding where each tap of a row
/// begins, sums, and reading the packed weights, which are 6, 4 or 2 bytes a number. In vectors these are
/// multiply-adds, sums, and weights of 4 bytes. The figures are of one server processor with AMX (Intel, 3.83 GHz, one
/// thread, level 2 of 2 MiB), fitted to the times of twelve models and of their layers by kind; they describe the
/// kernels as they are, whose inner loops wait for tiles of B from levels 2 and 3. Milliseconds there with tiles
/// wherever they fit, and by these figures (what is not on tiles as measured with `strict`):
///
/// | | strict | x6 | x3 | bf16 |
/// |---|---|---|---|---|
/// | PP-OCRv4 det 640 | 27.5 | 56.3, 50.3 | 59.3, 60.2 | 41.2, 41.6 |
/// | PP-OCRv5 server det 640 | 1126 | 1576, 1593 | 1186, 1368 | 733, 837 |
/// | PP-OCRv4 rec 320 | 8.86 | 9.49, 10.5 | 6.20, 7.19 | 4.22, 4.65 |
/// | PicoDet 800x608 | 45.8 | 67.8, 66.0 | 50.3, 52.1 | 37.2, 39.5 |
/// | MobileNetV1 | 6.81 | 8.68, 9.20 | 5.44, 6.12 | 3.37, 3.71 |
/// | MobileNetV2 | 4.71 | 8.67, 8.33 | 6.35, 6.33 | 4.69, 4.52 |
/// | MobileNetV3-large | 4.07 | 8.26, 7.41 | 6.21, 5.93 | 4.28, 4.57 |
/// | ResNet-50 | 42.1 | 51.1, 57.7 | 36.4, 39.1 | 21.4, 20.4 |
/// | ViT-B/16 | 200 | 235, 222 | 149, 127 | 77.2, 62.7 |
/// | BERT base, 128 tokens | 129 | 157, 138 | 98.7, 78.0 | 49.8, 34.1 |
///
/// So x6 hardly ever pays with these kernels, x3 for large products, bf16 for most that are not small.
namespace coracle::internal::cpu {

/// A matrix product of one item of a batch.
struct TileProduct {
  int64_t rows = 0;
  GemmShape shape;
  double count = 1;    ///< so many of them
  double filters = 0;  ///< different right matrices among them; 0: one for each
  bool packs = false;  ///< the right matrix is packed in each run
  /// What vectors do instead: their share of the multiplications, and how many of these they do in a cycle; 0: as many
  /// as in a product.
  double vector_share = 1;
  double vector_rate = 0;
};

/// Operations (two for a multiplication and an addition) that Winograd's algorithm does in a cycle in vectors, its
/// transformations included.
constexpr double kWinogradRate = 25;

/// Cycles on tiles and in vectors. Nothing where neither is done: for multiply-adds, and where products of pairs in
/// vectors stand for tiles.
std::optional<CostEstimate> tile_cost(ComputeMode mode, const TileProduct& product);

/// The same of several products; nothing if there is nothing of one of them.
std::optional<CostEstimate> sum_of(const std::optional<CostEstimate>& a, const std::optional<CostEstimate>& b);

}  // namespace coracle::internal::cpu
