// SPDX-License-Identifier: Apache-2.0
#include "base/size.h"

#include <gtest/gtest.h>

#include <climits>

#include "base/error.h"

namespace coracle::internal {
namespace {

TEST(Size, WhatDoesNotFitIsAnError) {
  const Size half = int64_t{1} << 62;
  EXPECT_EQ((half + (int64_t{1} << 61)).count(), 3 * (int64_t{1} << 61));
  EXPECT_THROW(half + half, Error);
  EXPECT_THROW(half * 2, Error);
  EXPECT_THROW(Size(-1), Error);
  EXPECT_THROW(Size(UINT64_MAX), Error);
  EXPECT_THROW(Size(INT64_MAX).rounded_up(64), Error);
  EXPECT_THROW(bytes_of<float>(half), Error);
  Size sum = 3;
  sum += 4;
  sum *= 5;
  EXPECT_EQ(sum.bytes(), 35U);
  EXPECT_EQ(sum.rounded_up(64).count(), 64);
  EXPECT_EQ(Size(64).rounded_up(64).count(), 64);
  EXPECT_EQ(Size(0).rounded_up(64).count(), 0);
  EXPECT_EQ(bytes_of<double>(7), 56U);
}

TEST(Size, BytesAreWithinTheReachOfAddresses) {
  EXPECT_EQ(Size(PTRDIFF_MAX).bytes(), static_cast<size_t>(PTRDIFF_MAX));
  if constexpr (sizeof(size_t) < sizeof(int64_t)) {
    EXPECT_THROW(static_cast<void>((Size(PTRDIFF_MAX) + 1).bytes()), Error);
    EXPECT_THROW(static_cast<void>((Size(SIZE_MAX) + 65).bytes()), Error);  // would be 64
  }
  EXPECT_LE(Size(kMaxElements * 16).bytes(), SIZE_MAX / 3);  // a sum of three fits
}

TEST(Size, IsOutOfMemory) {
  try {
    static_cast<void>(Size(INT64_MAX) + 1);
    FAIL() << "it fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
  }
}

}  // namespace
}  // namespace coracle::internal
