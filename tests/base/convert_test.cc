// SPDX-License-Identifier: Apache-2.0
#include "base/convert.h"

#include <gtest/gtest.h>

#include "base/half.h"

namespace coracle::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Convert, TruncatesTowardsZero) {
  EXPECT_EQ(convert<int32_t>(2.9), 2);
  EXPECT_EQ(convert<int32_t>(-2.9F), -2);
  EXPECT_EQ(convert<int64_t>(-9007199254740993.0), -9007199254740992);
  EXPECT_EQ(convert<int8_t>(Float16(-7.5F)), -7);
}

TEST(Convert, WhatDoesNotFitIsTheSmallestNumberCutToTheType) {
  for (double v : {3e9, -3e9, 1e30, -1e30, kInfinity, -kInfinity, kNan}) {
    EXPECT_EQ(convert<int32_t>(v), std::numeric_limits<int32_t>::min()) << v;
    EXPECT_EQ(convert<int16_t>(v), 0) << v;
    EXPECT_EQ(convert<uint8_t>(v), 0) << v;
  }
  for (double v : {0x1p63, -0x1p64, kInfinity, kNan}) {
    EXPECT_EQ(convert<int64_t>(v), std::numeric_limits<int64_t>::min()) << v;
  }
  EXPECT_EQ(convert<int64_t>(-0x1p63), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(convert<int32_t>(-2147483648.9), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(convert<uint8_t>(-1.0), 255);
  EXPECT_EQ(convert<uint8_t>(300.7), 44);
}

TEST(Convert, ABoolIsWhetherItIsNotZero) {
  EXPECT_TRUE(convert<bool>(0.25));
  EXPECT_TRUE(convert<bool>(kNan));
  EXPECT_TRUE(convert<bool>(int64_t{1} << 40U));
  EXPECT_FALSE(convert<bool>(-0.0));
}

TEST(Convert, WholeNumbersAreCut) {
  EXPECT_EQ(convert<int8_t>(int64_t{0x1FF}), -1);
  EXPECT_EQ(convert<float>(int64_t{3}), 3.0F);
}

TEST(Position, IsBoundedSoThatItsNeighboursExist) {
  EXPECT_EQ(position(2.9), 2);
  EXPECT_EQ(position(-2.9), -2);
  EXPECT_EQ(position(1e300), int64_t{1} << 53U);
  EXPECT_EQ(position(-kInfinity), -(int64_t{1} << 53U));
  EXPECT_EQ(position(kNan), 0);
}

}  // namespace
}  // namespace coracle::internal
