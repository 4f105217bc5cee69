// SPDX-License-Identifier: Apache-2.0
#include "base/copy_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace coracle::internal {
namespace {

constexpr size_t kPage = 4096;

/// Copies `bytes` from the place `from` of a page to the place `to` of another one, and says whether just these are the
/// copy.
bool copies_right(size_t from, size_t to, size_t bytes) {
  std::vector<uint8_t> source(3 * kPage + bytes);
  std::vector<uint8_t> target(source.size(), 255);
  for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i % 251);
  const size_t first = kPage - reinterpret_cast<uintptr_t>(source.data()) % kPage + from;
  const size_t at = kPage - reinterpret_cast<uintptr_t>(target.data()) % kPage + to;
  copy_bytes(target.data() + at, source.data() + first, bytes);
  for (size_t i = 0; i < target.size(); ++i) {
    const bool is_copy = i >= at && i < at + bytes;
    if (target[i] != (is_copy ? source[first + i - at] : 255)) return false;
  }
  return true;
}

TEST(CopyBytes, WithAnyDistanceOfPlacesInAPage) {
  for (const size_t bytes : {2047, 2048, 2049, 2111, 4096, 8229}) {
    for (const size_t from : {0, 16, 48, 4090}) {
      for (const size_t ahead : {0, 1, 15, 16, 32, 63, 64, 65, 4095}) {
        EXPECT_TRUE(copies_right(from, (from + ahead) % kPage, bytes)) << bytes << " bytes, " << from << " + " << ahead;
      }
    }
  }
}

TEST(CopyBytes, OfFew) {
  for (size_t bytes = 0; bytes < 130; ++bytes) EXPECT_TRUE(copies_right(48, 64, bytes)) << bytes;
  copy_bytes(nullptr, nullptr, 0);
}

}  // namespace
}  // namespace coracle::internal
