// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "ops/elementwise/arithmetic.h"

namespace coracle::internal {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(Arithmetic, WholeNumbersWrapAround) {
  EXPECT_EQ(wrapped_sum(kMost, int64_t{1}), kLeast);
  EXPECT_EQ(wrapped_difference(kLeast, int64_t{1}), kMost);
  EXPECT_EQ(wrapped_product(kMost, int64_t{2}), -2);
  EXPECT_EQ(wrapped_sum(int8_t{127}, int8_t{1}), -128);
  EXPECT_EQ(wrapped_product(uint8_t{200}, uint8_t{2}), 144);
  EXPECT_EQ(wrapped_product(0.5, 3.0), 1.5);
}

TEST(Arithmetic, QuotientsOfWholeNumbersAreDefinedForAll) {
  EXPECT_EQ(quotient(int64_t{7}, int64_t{0}), 0);
  EXPECT_EQ(quotient(kLeast, int64_t{-1}), kLeast);
  EXPECT_EQ(floor_quotient(int64_t{-7}, int64_t{2}), -4);
  EXPECT_EQ(floor_quotient(kLeast, int64_t{-1}), kLeast);
  EXPECT_EQ(floor_remainder(int64_t{-7}, int64_t{2}), 1);
  EXPECT_EQ(floor_remainder(kLeast, int64_t{-1}), 0);
}

}  // namespace
}  // namespace coracle::internal
