// SPDX-License-Identifier: Apache-2.0
#include "base/shape.h"

#include <gtest/gtest.h>

#include "base/fact.h"

namespace coracle::internal {
namespace {

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(Shape{}.count(), 1);
  EXPECT_EQ((Shape{2, 3, 4}).count(), 24);
  EXPECT_EQ((Shape{2, 3, 4}).count(1, 2), 3);
  EXPECT_EQ((Shape{INT64_MAX, INT64_MAX, 0}).count(), 0) << "no elements, however large the rest";
  EXPECT_THROW((Shape{INT64_MAX, 2}).count(), Error);
  EXPECT_THROW((Shape{Shape::kUnknown}).count(), Error);
}

TEST(Shape, HasAtMostNineDimensions) {
  EXPECT_THROW(Shape(std::vector<int64_t>(10, 1)), Error);
  Shape nine = Shape::filled(9, 1);
  EXPECT_THROW(nine.push_back(1), Error);
  nine.erase(0);
  nine.insert(3, 7);
  EXPECT_EQ(nine, (Shape{1, 1, 1, 7, 1, 1, 1, 1, 1}));
}

TEST(Shape, AsText) {
  EXPECT_EQ(text(Shape{1, Shape::kUnknown}), "[1, ?]");
  EXPECT_EQ(text(Shape{}), "[]");
  EXPECT_EQ(text(Shape::unknown_rank()), "[...]");
}

TEST(Shape, Broadcasts) {
  const int64_t u = Shape::kUnknown;
  EXPECT_EQ(broadcast({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast({}, {3}), Shape{3});
  EXPECT_EQ(broadcast({u, 1}, {1, u}), (Shape{u, u}));
  EXPECT_EQ(broadcast({u}, {5}), Shape{5}) << "1 or 5: the result is 5";
  EXPECT_EQ(broadcast({u}, {1}), Shape{u});
  EXPECT_EQ(broadcast({0}, {1}), Shape{0});
  EXPECT_FALSE(broadcast(Shape::unknown_rank(), {1}).rank_known());
  EXPECT_THROW(broadcast({2}, {3}), Error);
}

TEST(Shape, CompatibleWhereNothingContradicts) {
  EXPECT_TRUE(compatible({Shape::kUnknown, 3}, {2, 3}));
  EXPECT_TRUE(compatible(Shape::unknown_rank(), {2}));
  EXPECT_FALSE(compatible({2, 3}, {2, 4}));
  EXPECT_FALSE(compatible({2}, {2, 1}));
}

TEST(Shape, AxesCountFromBothEnds) {
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(2, 3), 2);
  EXPECT_THROW(normalize_axis(3, 3), Error);
  EXPECT_THROW(normalize_axis(-4, 3), Error);
  EXPECT_THROW(normalize_axis(0, 0), Error);
}

TEST(Shape, ArithmeticOnSizesIsChecked) {
  EXPECT_EQ(checked_multiply(1LL << 31, 1LL << 31), 1LL << 62);
  EXPECT_THROW(checked_multiply(1LL << 32, 1LL << 31), Error);
  EXPECT_THROW(checked_multiply(-1, 2), Error);
  EXPECT_THROW(checked_add(INT64_MAX, 1), Error);
}

TEST(Fact, ReplaceableByTheSameKindOnly) {
  const Fact f(DType::kFloat32, {2, Shape::kUnknown});
  EXPECT_TRUE(replaceable(f, {DType::kFloat32, {2, 3}}));
  EXPECT_FALSE(replaceable(f, {DType::kFloat16, {2, 3}}));
  EXPECT_FALSE(replaceable(f, {DType::kFloat32, {2}}));
  Fact array = f;
  array.is_array = true;
  EXPECT_FALSE(replaceable(f, array));
}

TEST(Fact, OrdersAgreeWhereOneDimensionIsLeft) {
  EXPECT_TRUE(layouts_agree({4, 5}));
  EXPECT_TRUE(layouts_agree({4, 1, 5, 5}));
  EXPECT_TRUE(layouts_agree({4, 5, 1, 1}));
  EXPECT_TRUE(layouts_agree({0, 5, 2, 2}));
  EXPECT_FALSE(layouts_agree({1, 2, 1, 2}));
}

}  // namespace
}  // namespace coracle::internal
