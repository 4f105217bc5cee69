// SPDX-License-Identifier: Apache-2.0
// Which products go to matrix tiles, held against what was measured on a processor that has them.
#include "devices/cpu/tile_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace coracle::internal::cpu {
namespace {

constexpr auto kX6 = ComputeMode::kBf16x6;
constexpr auto kX3 = ComputeMode::kBf16x3;
constexpr auto kBf16 = ComputeMode::kBf16;

struct Layer {
  const char* name;
  TileProduct product;
  std::vector<ComputeMode> pays;  ///< on tiles
};

const Layer kLayers[] = {
    {"BERT's products of 128 tokens", {.rows = 128, .shape = {1, 768, 3072}}, {kX3, kBf16}},
    {"ViT's products of 197 tokens", {.rows = 197, .shape = {1, 3072, 768}}, {kX3, kBf16}},
    {"ResNet-50, 3x3 of 128 channels with stride 2", {.rows = 784, .shape = {9, 128, 128}}, {kX3, kBf16}},
    {"ResNet-50, 1x1 of 1024 to 256", {.rows = 196, .shape = {1, 1024, 256}}, {kX3, kBf16}},
    {"the same where vectors have Winograd's algorithm",
     {.rows = 784, .shape = {9, 128, 128}, .vector_share = 0.28, .vector_rate = kWinogradRate},
     {kBf16}},
    {"MobileNetV3, 1x1 of 40 to 120", {.rows = 784, .shape = {1, 40, 120}}, {}},
    {"MobileNetV2, 1x1 of 24 to 144", {.rows = 3136, .shape = {1, 24, 144}}, {}},
    {"PP-OCRv4 det, 3x3 of 96 to 24, where vectors have Winograd's algorithm",
     {.rows = 25600, .shape = {9, 96, 24}, .vector_share = 0.25, .vector_rate = kWinogradRate},
     {}},
    {"ResNet-50, first convolution", {.rows = 12544, .shape = {7, 21, 64}}, {}},
    {"PP-OCRv4 det, 1x1 of 16 to 32", {.rows = 102400, .shape = {1, 16, 32}}, {}},
    {"PP-OCRv4 det, first convolution", {.rows = 102400, .shape = {3, 9, 16}}, {}},
    {"few rows", {.rows = 16, .shape = {1, 64, 64}}, {}},
    {"short sums", {.rows = 1024, .shape = {1, 16, 512}}, {}},
};

TEST(TileCost, PaysWhereItWasMeasuredTo) {
  for (const Layer& layer : kLayers) {
    for (ComputeMode mode : {kX6, kX3, kBf16}) {
      const std::optional<CostEstimate> cost = tile_cost(mode, layer.product);
      if (!cost) continue;  // products of pairs in vectors stand for tiles
      const bool wanted = std::find(layer.pays.begin(), layer.pays.end(), mode) != layer.pays.end();
      EXPECT_EQ(cost->pays(), wanted) << layer.name << ", scheme " << static_cast<int>(mode) << ": " << cost->own
                                      << " cycles on tiles, " << cost->others << " in vectors";
    }
  }
  EXPECT_FALSE(tile_cost(ComputeMode::kFloat32, kLayers[0].product)) << "multiply-adds";
}

/// Billions of operations a second at 3.83 GHz.
double rate_of(const TileProduct& p, double cycles) {
  const double operations = 2.0 * static_cast<double>(p.rows * p.shape.taps * p.shape.depth * p.shape.columns);
  return operations / cycles * 3.83;
}

TEST(TileCost, IsNearWhatWasMeasured) {
  const TileProduct bert{.rows = 128, .shape = {1, 768, 3072}};
  EXPECT_NEAR(rate_of(bert, tile_cost(kX6, bert)->own), 142, 20);
  EXPECT_NEAR(rate_of(bert, tile_cost(kX3, bert)->own), 236, 30);
  EXPECT_NEAR(rate_of(bert, tile_cost(kX6, bert)->others), 173, 20);
}

TEST(TileCost, SumsHaveNothingOfWhatHasNothing) {
  const std::optional<CostEstimate> some = CostEstimate{.own = 1, .others = 2};
  EXPECT_EQ(sum_of(some, some)->own, 2);
  EXPECT_EQ(sum_of(some, some)->others, 4);
  EXPECT_FALSE(sum_of(some, std::nullopt));
  EXPECT_FALSE((CostEstimate{.own = 95, .others = 100}.pays())) << "a tenth at least";
  EXPECT_TRUE((CostEstimate{.own = 90, .others = 100}.pays()));
}

}  // namespace
}  // namespace coracle::internal::cpu
