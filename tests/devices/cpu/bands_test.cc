// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/bands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "devices/cpu/winograd_tiles.h"

namespace coracle::internal::cpu {
namespace {

TEST(Bands, HaveEachPlaceOnce) {
  ThreadPool pool(2);
  for (const int64_t bands : {1, 2, 3, 7}) {
    std::vector<std::atomic<int>> seen(7);
    std::vector<std::atomic<int>> begun(static_cast<size_t>(bands));
    for_bands(pool, 7, bands, [&](int64_t band, int64_t begin, int64_t end) {
      ++begun[static_cast<size_t>(band)];
      for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    for (const auto& n : seen) EXPECT_EQ(n, 1) << bands << " bands";
    for (const auto& n : begun) EXPECT_EQ(n, 1) << bands << " bands";
  }
}

TEST(Bands, GoChunkByChunk) {
  ThreadPool pool(1);
  KernelCall call;
  call.pool = &pool;
  std::vector<std::pair<int64_t, int64_t>> chunks;
  for_chunks(call, 10, 2, 3, [&](int64_t, int64_t begin, int64_t end) { chunks.emplace_back(begin, end); });
  EXPECT_EQ(chunks, (std::vector<std::pair<int64_t, int64_t>>{{0, 3}, {3, 5}, {5, 8}, {8, 10}}));
}

ConvolutionGeometry square_geometry(int64_t side, int64_t channels, int64_t groups = 1, int64_t kernel = 3) {
  ConvolutionAttributes op(2);
  op.paddings = {1, 1};
  op.groups = static_cast<int>(groups);
  return convolution_geometry(op, Shape{1, channels, side, side}, Shape{channels, channels / groups, kernel, kernel},
                              2);
}

TEST(WinogradTiles, TakeWhatRepaysThem) {
  const WinogradTiles tiles{
      .size = 4, .least_tiles = 9, .least_in_channels = 8, .least_out_channels = 8, .share = 1, .of_shares = 3};
  const auto said = [&](const ConvolutionGeometry& g) {
    const RejectionReason reason = tiles.rejection(g);
    return std::string(reason == nullptr ? "" : reason);
  };
  EXPECT_EQ(tiles.count(square_geometry(9, 8)), 9);
  EXPECT_EQ(said(square_geometry(12, 8)), "");
  EXPECT_EQ(said(square_geometry(12, 7)), "too few channels for Winograd");
  EXPECT_EQ(said(square_geometry(8, 8)), "too small an image for Winograd");
  EXPECT_EQ(said(square_geometry(9, 8)), "too many cut tiles for Winograd");
  EXPECT_EQ(said(square_geometry(12, 8, 2)), "only one group");
  EXPECT_EQ(said(square_geometry(12, 8, 1, 5)), "not a 3x3 filter with stride 1");
}

}  // namespace
}  // namespace coracle::internal::cpu
