// SPDX-License-Identifier: Apache-2.0
#include "base/counted.h"

#include <gtest/gtest.h>

namespace coracle::internal {
namespace {

TEST(Counted, NounsFollowTheirNumber) {
  EXPECT_EQ(text("has ", counted(1, "input"), ", given ", counted(2, "input")), "has 1 input, given 2 inputs");
  EXPECT_EQ(text(counted(0, "entry"), ", ", counted(1, "entry")), "0 entries, 1 entry");
  EXPECT_EQ(text(counted(size_t{3}, "box"), ", ", counted(-1, "class")), "3 boxes, -1 classes");
}

}  // namespace
}  // namespace coracle::internal
