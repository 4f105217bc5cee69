// SPDX-License-Identifier: Apache-2.0
#include "run/step_cache.h"

#include <gtest/gtest.h>

namespace coracle {
namespace {

std::shared_ptr<BoundSteps> steps_of(size_t bytes) {
  Steps steps;
  steps.bytes = bytes;
  return std::make_shared<BoundSteps>(std::move(steps));
}

TEST(StepCache, TheLeastRecentlyUsedGoesFirst) {
  StepCache cache(3500);
  const auto a = steps_of(1000);
  cache.insert("a", a);
  cache.insert("b", steps_of(1000));
  cache.insert("c", steps_of(1000));
  EXPECT_EQ(cache.find("a"), a);
  cache.insert("d", steps_of(1000));
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_EQ(cache.find("a"), a);
  EXPECT_NE(cache.find("c"), nullptr);
  EXPECT_NE(cache.find("d"), nullptr);
}

TEST(StepCache, BytesStayWithinTheBound) {
  StepCache cache(10000);
  for (size_t i = 0; i < 200; ++i) {
    cache.insert(std::to_string(i), steps_of(i * 97 % 4000));
    EXPECT_LE(cache.bytes(), 10000U);
    EXPECT_NE(cache.find(std::to_string(i)), nullptr);
  }
  EXPECT_GT(cache.bytes(), 5000U);
}

TEST(StepCache, TheNewestIsKeptWhateverItsSize) {
  StepCache cache(3000);
  cache.insert("a", steps_of(1000));
  cache.insert("large", steps_of(5000));
  EXPECT_NE(cache.find("large"), nullptr);
  EXPECT_EQ(cache.find("a"), nullptr);
  cache.insert("b", steps_of(1000));
  EXPECT_EQ(cache.find("large"), nullptr);
  EXPECT_NE(cache.find("b"), nullptr);
  EXPECT_LE(cache.bytes(), 3000U);
}

TEST(StepCache, ABoundOfZeroKeepsNothing) {
  StepCache cache(0);
  const auto running = steps_of(10);
  cache.insert("a", running);
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
  EXPECT_EQ(running->steps.bytes, 10U) << "what is running stays";
}

TEST(StepCache, ClearGivesAllBack) {
  StepCache cache(3000);
  cache.insert("a", steps_of(1000));
  cache.clear();
  EXPECT_EQ(cache.bytes(), 0U);
  EXPECT_EQ(cache.find("a"), nullptr);
  cache.insert("a", steps_of(1000));
  EXPECT_NE(cache.find("a"), nullptr);
}

}  // namespace
}  // namespace coracle
