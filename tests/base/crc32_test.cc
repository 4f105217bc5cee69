// SPDX-License-Identifier: Apache-2.0
#include "base/crc32.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <vector>

namespace coracle::internal {
namespace {

TEST(Crc32, OfKnownTexts) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32({reinterpret_cast<const uint8_t*>(digits.data()), digits.size()}), 0xcbf43926U);
  EXPECT_EQ(crc32({}), 0U);
}

TEST(Crc32, IsZlibs) {
  std::mt19937 random(7);
  std::vector<uint8_t> bytes(100);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  for (size_t first = 0; first < 9; ++first) {
    for (size_t count = 0; first + count <= bytes.size(); ++count) {
      const std::span<const uint8_t> part(bytes.data() + first, count);
      ASSERT_EQ(crc32(part), ::crc32_z(0, part.data(), part.size())) << first << " " << count;
    }
  }
}

}  // namespace
}  // namespace coracle::internal
