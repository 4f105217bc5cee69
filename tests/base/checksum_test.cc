// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace coracle::internal {
namespace {

std::array<uint64_t, 2> sum_of(const std::vector<uint8_t>& bytes) {
  Checksum sum;
  sum.add(bytes.data(), bytes.size());
  return sum.value();
}

TEST(Checksum, DiffersInBothForEachBitSizeAndOrder) {
  std::set<uint64_t> first;
  std::set<uint64_t> second;
  size_t count = 0;
  const auto add = [&](const std::vector<uint8_t>& bytes) {
    const auto [a, b] = sum_of(bytes);
    EXPECT_EQ(sum_of(bytes), (std::array<uint64_t, 2>{a, b}));
    first.insert(a);
    second.insert(b);
    ++count;
  };
  for (size_t size = 0; size < 150; ++size) add(std::vector<uint8_t>(size, 0));
  std::vector<uint8_t> bytes(107);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + 1);
  add(bytes);
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::vector<uint8_t> other = bytes;
    other[i / 8] ^= static_cast<uint8_t>(1U << i % 8);
    add(other);
  }
  for (size_t i = 8; i + 8 <= bytes.size(); i += 8) {  // words that change places
    std::vector<uint8_t> other = bytes;
    std::swap_ranges(other.begin(), other.begin() + 8, other.begin() + static_cast<ptrdiff_t>(i));
    if (other != bytes) add(other);
  }
  EXPECT_EQ(first.size(), count);
  EXPECT_EQ(second.size(), count);
}

TEST(Checksum, OfPartsIsAnother) {
  const std::vector<uint8_t> bytes(64, 3);
  Checksum parts;
  parts.add(bytes.data(), 32);
  parts.add(bytes.data(), 32);
  EXPECT_NE(parts.value(), sum_of(bytes));
}

}  // namespace
}  // namespace coracle::internal
