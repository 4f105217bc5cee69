// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/bands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/workers.h"
#include "devices/cpu/winograd_tiles.h"
#include "support/fake_processors.h"

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

/// How often f was called, once each has been called for all of `count` and no band twice at a time.
int calls_of_bands(ThreadPool& pool, int64_t count, int64_t bands) {
  std::vector<std::atomic<int>> covered(static_cast<size_t>(count));
  std::vector<std::atomic<int>> inside(static_cast<size_t>(bands));
  std::atomic<int> calls = 0;
  for_bands(pool, count, bands, [&](int64_t band, int64_t begin, int64_t end) {
    EXPECT_EQ(inside[static_cast<size_t>(band)].fetch_add(1), 0) << "two threads with the same memory";
    ++calls;
    for (int64_t i = begin; i < end; ++i) ++covered[static_cast<size_t>(i)];
    --inside[static_cast<size_t>(band)];
  });
  for (const std::atomic<int>& c : covered) EXPECT_EQ(c, 1);
  return calls;
}

TEST(Bands, CoverAllInMorePiecesOnProcessorsOfSeveralSpeeds) {
  const bool several = affinity().size() > 1;
  for (const bool uneven : {false, true}) {
    const test::FakeProcessors processors(uneven ? std::vector<int>{1024, 400} : std::vector<int>{1024});
    ThreadPool pool(std::make_shared<Workers>(3, std::vector<int>(), processors.root()), 3);
    const ThreadPool::Run run(pool, {});
    pool.start();
    for (int loop = 0; loop < 100; ++loop) {
      const int calls = calls_of_bands(pool, 1000, 3);
      EXPECT_TRUE(calls == 12 || (calls == 3 && !(uneven && several))) << calls;
      EXPECT_LE(calls_of_bands(pool, 2, 3), 3) << "of which one has nothing";
      EXPECT_LE(calls_of_bands(pool, 5, 3), 5);
      EXPECT_LE(calls_of_bands(pool, 7, 1), 4);
    }
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
