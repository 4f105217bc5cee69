// SPDX-License-Identifier: Apache-2.0
#include "archive/inflated.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/error.h"
#include "support/archive_writer.h"
#include "support/memory_file.h"

namespace coracle::internal {
namespace {

TEST(Inflated, WhatUnpacksToTooMuchIsRefused) {
  constexpr size_t kMegabyte = size_t{1} << 20U;
  EXPECT_EQ(most_unpacked(0), 1032U);
  EXPECT_LT(most_unpacked(kMegabyte), size_t{1} << 31U);
  EXPECT_LT(most_unpacked(SIZE_MAX), SIZE_MAX);
  const std::string zeros = test::gzipped(std::string(kMegabyte, '\0'));
  const File file(test::memory_file(zeros));
  const File unpacked =
      file.made("m", kMegabyte - 1, inflated({.bytes = file, .is_gzip = true, .size = kMegabyte - 1}));
  std::vector<uint8_t> bytes(kMegabyte);
  EXPECT_THROW(unpacked.read(0, bytes), Error);
}

TEST(Inflated, ReadingGoesBack) {
  constexpr size_t kSize = size_t{20} << 20U;
  std::string bytes(kSize, '\0');
  std::mt19937 random(1);
  for (size_t i = 0; i < kSize; i += 16) bytes[i] = static_cast<char>(random());
  const File file(test::memory_file(test::gzipped(bytes)));
  const File unpacked = file.made("m", kSize, inflated({.bytes = file, .is_gzip = true, .size = kSize}));
  std::vector<uint8_t> part(4096);
  for (int i = 0; i < 40; ++i) {
    const size_t at = random() % (kSize - part.size());
    ASSERT_EQ(unpacked.read(at, part), part.size());
    ASSERT_EQ(std::memcmp(part.data(), bytes.data() + at, part.size()), 0) << at;
  }
  EXPECT_EQ(unpacked.read(kSize - 5, part), 5U);
  EXPECT_EQ(unpacked.read(kSize, part), 0U);
}

}  // namespace
}  // namespace coracle::internal
