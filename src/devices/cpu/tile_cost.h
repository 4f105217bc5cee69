// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "devices/cpu/compute_mode.h"
#include "devices/cpu/isa/gemm.h"
#include "plan/kernel.h"

/// What products take on matrix tiles and by multiply-adds, so that a layer goes to tiles only where that is faster.
///
/// The figures are of one server processor with AMX (Intel, 3.83 GHz, one thread, level 2 of 2 MiB), fitted to the
/// kernels as they are: their inner loops wait for tiles of B from levels 2 and 3, so a step takes two to three times
/// what its products would. Measured there, and estimated by these figures for a layer of the kind, in billions of
/// operations a second:
///
/// | | x6 | x3 | bf16 | vectors |
/// |---|---|---|---|---|
/// | BERT base, 128 tokens (768 to 3072) | 142, 152 | 236, 233 | 510, 495 | 173, 174 |
/// | ResNet-50's direct convolutions (1x1, 1024 to 256, 14x14) | 153, 132 | | 425, 445 | 163, 176 |
/// | MobileNetV3's direct convolutions (1x1, 40 to 120, 28x28) | 65, 55 | | 89, 100 | 128, 107 |
///
/// So x6 never pays with these kernels, x3 for large products, bf16 for most that are not small.
namespace coracle::cpu {

/// A matrix product of one item of a batch.
struct TileProduct {
  int64_t rows = 0;
  GemmShape shape;
  double count = 1;    ///< so many of them
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

}  // namespace coracle::cpu
