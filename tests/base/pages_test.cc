// SPDX-License-Identifier: Apache-2.0
#include "base/pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace coracle::internal {
namespace {

bool is_aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 64 == 0; }

TEST(Pages, OfAllSizes) {
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{4096}, size_t{5} << 20U, size_t{64} << 20U}) {
    Pages pages(bytes);
    ASSERT_NE(pages.data(), nullptr);
    EXPECT_TRUE(is_aligned(pages.data()));
    EXPECT_EQ(pages.bytes(), bytes);
    std::memset(pages.data(), 1, bytes);
    Pages other = std::move(pages);
    EXPECT_EQ(other.bytes(), bytes);
  }
}

TEST(Pages, ThatCannotBeAreBadAlloc) {
  EXPECT_THROW(Pages(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(Pages(SIZE_MAX / 4), std::bad_alloc);
}

TEST(PageArena, WhatIsTakenDoesNotOverlapAndOutlivesTheArena) {
  struct Taken {
    std::shared_ptr<void> memory;
    size_t bytes;
  };
  std::vector<Taken> all;
  {
    PageArena arena;
    for (size_t bytes : {size_t{1}, size_t{0}, size_t{100}, size_t{3} << 20U, size_t{2} << 20U, size_t{40} << 20U,
                         size_t{7}, size_t{31} << 20U, size_t{64}}) {
      all.push_back({arena.take(bytes), bytes});
    }
    EXPECT_THROW(arena.take(SIZE_MAX), std::bad_alloc);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_TRUE(is_aligned(all[i].memory.get()));
    std::memset(all[i].memory.get(), static_cast<int>(i), all[i].bytes);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(all[i].memory.get());
    EXPECT_TRUE(std::all_of(bytes, bytes + all[i].bytes, [&](unsigned char b) { return b == i; })) << i;
  }
}

}  // namespace
}  // namespace coracle::internal
